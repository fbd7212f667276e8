import type { Mailbox, PlatformMailbox, SentLetter } from '@switchroom/contract/mail'
import { mailSecurities } from '../invocation/closed-sets.ts'
import type { Command, Option } from '../invocation/command.ts'
import { exitCodes } from '../terminal/exit-codes.ts'
import { Failure, wrongUsage } from '../terminal/failures.ts'
import type { GatewayClient } from '../gateway/gateway-client.ts'
import type { Invocation } from '../invocation/invocation.ts'
import { askSecret } from '../terminal/prompts.ts'

type CurrentMailbox = Mailbox & Partial<Pick<PlatformMailbox, 'source'>>

interface Whose {
  /** What its commands begin with. */
  name: string
  at: string
  client: (invocation: Invocation) => Promise<GatewayClient>
  without: string
}

function show(invocation: Invocation, answer: CurrentMailbox, { without }: Whose): void {
  const { out } = invocation
  invocation.answer(answer, ({ configured, host, port, security, username, from, source, ...letters }) => {
    if (!configured) return out.note(without)
    out.fields({
      server: `${host}:${port}`,
      security,
      user: username,
      from,
      set: source === 'environment' ? "by the deployment's settings" : null,
      'last email': letters.verified_at === null ? null : out.time(letters.verified_at),
      'last failure': letters.last_error,
    })
  })
}

const options: readonly Option[] = [
  { name: 'host', value: 'name', summary: 'the SMTP server' },
  { name: 'port', value: 'number', summary: 'the port (default 587)' },
  { name: 'security', value: 'kind', choices: mailSecurities, summary: 'encryption (default starttls)' },
  { name: 'username', value: 'name', summary: 'user name; svc prompts for the password' },
  { name: 'no-username', summary: 'send without signing in' },
  { name: 'from', value: 'address', summary: 'From address: a@b, or Name <a@b>' },
]

/** An SMTP account, an org's or the platform's. */
function mailboxCommands(whose: Whose): Command[] {
  const { name, at, client } = whose
  const get: Command = {
    name,
    summary: 'show the SMTP account, without its password',
    examples: [`svc ${name}`, `svc ${name} --json`],
    async run(invocation) {
      show(invocation, await (await client(invocation)).get<CurrentMailbox>(at), whose)
    },
  }
  const set: Command = {
    name: `${name} set`,
    summary: 'set the SMTP account',
    details:
      'Options that are not given keep their value. If there is a user name, svc prompts for the password each\ntime, or reads it from standard input: the gateway never returns it.',
    options,
    examples: [
      `svc ${name} set --host smtp.example.com --username acme --from "Acme <post@acme.example>"`,
      `secrets read smtp | svc ${name} set --port 465 --security tls`,
    ],
    async run(invocation) {
      const gateway = await client(invocation)
      const now = await gateway.get<CurrentMailbox>(at)
      const host = invocation.option('host') ?? now.host
      const from = invocation.option('from') ?? now.from
      if (host === null) throw wrongUsage('--host is missing')
      if (from === null) throw wrongUsage('--from is missing')
      const username = invocation.flag('no-username') ? null : (invocation.option('username') ?? now.username)
      const answer = await gateway.put<CurrentMailbox>(at, {
        host,
        port: invocation.number('port') ?? now.port ?? 587,
        security: invocation.option('security') ?? now.security ?? 'starttls',
        username,
        password: username === null ? null : await askSecret(`Password of ${username}: `),
        from,
      })
      show(invocation, answer, whose)
    },
  }
  const test: Command = {
    name: `${name} test`,
    summary: 'send a test email',
    details: 'The exit status is 1 if it was not sent.',
    arguments: [{ name: 'to', summary: 'an address' }],
    examples: [`svc ${name} test ana@example.com`],
    async run(invocation) {
      const to = invocation.argument('to')
      const answer = await (await client(invocation)).post<SentLetter>(`${at}/test`, { to })
      if (!answer.sent && !invocation.isJson)
        throw new Failure(exitCodes.refused, answer.error ?? 'the test email was not sent')
      invocation.answer(answer, () => invocation.out.line(`Sent a test email to ${to}.`))
      return answer.sent ? exitCodes.done : exitCodes.refused
    },
  }
  const forget: Command = {
    name: `${name} forget`,
    summary: 'delete the SMTP account',
    examples: [`svc ${name} forget`],
    async run(invocation) {
      await (await client(invocation)).delete(at)
      if (!invocation.isJson) invocation.out.line('Deleted the SMTP account.')
    },
  }
  return [get, set, test, forget]
}

export const mailCommands = mailboxCommands({
  name: 'mail',
  at: '/v1/org/mail',
  client: (invocation) => invocation.client(),
  without: "The org has no SMTP account: its email is sent through the platform's.",
})

export const opsMailCommands = mailboxCommands({
  name: 'ops mail',
  at: '/v1/ops/mail',
  client: (invocation) => invocation.operator(),
  without: 'The platform has no SMTP account: no email is sent.',
})
