import type { Command } from './invocation/command.ts'
import { agentCommands } from './commands/agents.ts'
import { auditCommands, opsAuditCommands } from './commands/audit.ts'
import { callbackCommands } from './commands/callbacks.ts'
import { callCommands } from './commands/calls.ts'
import { canaryCommands } from './commands/canary.ts'
import { carrierCommands } from './commands/carriers.ts'
import { chatCommands } from './commands/chat.ts'
import { consentCommands } from './commands/consents.ts'
import { diallingCommands } from './commands/dialling.ts'
import { doctorCommands } from './commands/doctor.ts'
import { identityCommands } from './commands/identity.ts'
import { initCommands } from './commands/init.ts'
import { keyCommands } from './commands/keys.ts'
import { lexiconCommands } from './commands/lexicon.ts'
import { mailCommands, opsMailCommands } from './commands/mail.ts'
import { memberCommands } from './commands/members.ts'
import { numberCommands } from './commands/numbers.ts'
import { opsOrgCommands } from './commands/ops-orgs.ts'
import { opsCommands } from './commands/ops.ts'
import { policyCommands } from './commands/policy.ts'
import { programCommands } from './commands/program.ts'
import { providerKeyCommands } from './commands/provider-keys.ts'
import { settingsCommands } from './commands/settings.ts'
import { signOnCommands } from './commands/sign-on.ts'
import { speechCommands } from './commands/speech.ts'
import { tailCommands } from './commands/tail.ts'
import { threadCommands } from './commands/threads.ts'
import { workerCommands } from './commands/worker.ts'
import { completionFor, shells, type Shell } from './completion.ts'
import { wrongUsage } from './terminal/failures.ts'

const completion: Command = {
  name: 'completion',
  summary: 'a script that completes svc in your shell',
  arguments: [{ name: 'shell', summary: shells.join(', ') }],
  examples: ['eval "$(svc completion bash)"', 'source <(svc completion zsh)', 'svc completion fish | source'],
  async run(invocation) {
    const shell = invocation.argument('shell')
    if (!isShell(shell)) throw wrongUsage(`the shells are ${shells.join(', ')}`)
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
  ...providerKeyCommands,
  ...signOnCommands,
  ...mailCommands,
  ...auditCommands,
  ...speechCommands,
  ...opsOrgCommands,
  ...opsCommands,
  ...opsMailCommands,
  ...opsAuditCommands,
  ...doctorCommands,
  ...initCommands,
  ...workerCommands,
  completion,
  ...programCommands,
]

/** What the commands that begin with one word have in common. */
export const groups: Readonly<Record<string, string>> = {
  calls: 'calls, and what can be done in one',
  settings: 'what an agent is set to, in versions',
  lexicon: 'how words are said and heard',
  canary: 'a version that runs on some of the calls',
  numbers: 'phone numbers, and why each rings or not',
  carriers: 'accounts at carriers',
  consents: 'who agreed to be called, and who must not be',
  threads: 'conversations on the messaging channel',
  members: 'who belongs to the org',
  keys: 'keys and server tokens',
  'provider-keys': 'keys of the org’s own for vendors of speech and language',
  'sign-on': 'the identity provider that people sign in with',
  mail: 'the account that the org’s letters go out through',
  ops: 'what the operator of the platform does',
}
