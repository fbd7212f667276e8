import type { Command } from './invocation/command.ts'
import { agentCommands } from './commands/agents.ts'
import { auditCommands, opsAuditCommands } from './commands/audit.ts'
import { baseCommands } from './commands/bases.ts'
import { callbackCommands } from './commands/callbacks.ts'
import { callCommands } from './commands/calls.ts'
import { canaryCommands } from './commands/canary.ts'
import { carrierCommands } from './commands/carriers.ts'
import { chatCommands } from './commands/chat.ts'
import { consentCommands } from './commands/consents.ts'
import { diallingCommands } from './commands/dialling.ts'
import { doctorCommands } from './commands/doctor.ts'
import { endpointCommands } from './commands/endpoints.ts'
import { identityCommands } from './commands/identity.ts'
import { initCommands } from './commands/init.ts'
import { keyCommands } from './commands/keys.ts'
import { lexiconCommands } from './commands/lexicon.ts'
import { loadCommands } from './commands/load.ts'
import { mailCommands, opsMailCommands } from './commands/mail.ts'
import { memberCommands } from './commands/members.ts'
import { numberCommands } from './commands/numbers.ts'
import { opsOrgCommands } from './commands/ops-orgs.ts'
import { opsCommands } from './commands/ops.ts'
import { opsLogCommands } from './commands/ops-logs.ts'
import { policyCommands } from './commands/policy.ts'
import { programCommands } from './commands/program.ts'
import { providerKeyCommands } from './commands/provider-keys.ts'
import { publishableKeyCommands } from './commands/publishable-keys.ts'
import { settingsCommands } from './commands/settings.ts'
import { signOnCommands } from './commands/sign-on.ts'
import { speechCommands } from './commands/speech.ts'
import { tailCommands } from './commands/tail.ts'
import { threadCommands } from './commands/threads.ts'
import { webhookCommands } from './commands/webhooks.ts'
import { workerCommands } from './commands/worker.ts'
import { completionFor, shells, type Shell } from './completion.ts'
import { wrongUsage } from './terminal/failures.ts'

const completion: Command = {
  name: 'completion',
  summary: 'print the completion script of a shell',
  arguments: [{ name: 'shell', summary: shells.join(', ') }],
  examples: ['eval "$(svc completion bash)"', 'source <(svc completion zsh)', 'svc completion fish | source'],
  async run(invocation) {
    const shell = invocation.argument('shell')
    if (!isShell(shell)) throw wrongUsage(`unknown shell ${shell}: use ${shells.join(', ')}`)
    invocation.out.line(completionFor(shell, commands, groups))
  },
}

const isShell = (name: string): name is Shell => shells.some((shell) => shell === name)

/** Every command there is, in the order in which help lists them. */
export const commands: readonly Command[] = [
  ...identityCommands,
  ...agentCommands,
  ...chatCommands,
  ...callCommands,
  ...tailCommands,
  ...callbackCommands,
  ...settingsCommands,
  ...lexiconCommands,
  ...canaryCommands,
  ...numberCommands,
  ...carrierCommands,
  ...diallingCommands,
  ...policyCommands,
  ...consentCommands,
  ...threadCommands,
  ...memberCommands,
  ...keyCommands,
  ...publishableKeyCommands,
  ...providerKeyCommands,
  ...endpointCommands,
  ...baseCommands,
  ...webhookCommands,
  ...signOnCommands,
  ...mailCommands,
  ...auditCommands,
  ...speechCommands,
  ...opsOrgCommands,
  ...opsCommands,
  ...opsLogCommands,
  ...opsMailCommands,
  ...opsAuditCommands,
  ...doctorCommands,
  ...initCommands,
  ...workerCommands,
  ...loadCommands,
  completion,
  ...programCommands,
]

/** What the commands that begin with one word have in common. */
export const groups: Readonly<Record<string, string>> = {
  calls: 'list, read and control calls',
  settings: 'settings of an agent, with versions',
  lexicon: 'pronunciation and vocabulary of an agent',
  canary: 'run a version on a share of the calls',
  numbers: 'phone numbers and their status',
  carriers: 'carrier accounts',
  consents: 'consents and the do-not-call list',
  threads: 'conversations on the messaging channel',
  members: 'members of the org',
  keys: 'keys and server tokens',
  'publishable-keys': 'keys that stand in web pages',
  'provider-keys': 'API keys of the org at vendors',
  endpoints: 'model endpoints of the org',
  bases: 'knowledge bases and their documents',
  webhooks: 'addresses that are told of events',
  'sign-on': 'single sign-on',
  mail: 'the SMTP account of the org',
  ops: 'commands of the platform operator',
}
