import type {
  DialPage,
  DialResult,
  ExplainedDial,
  GuardSeen,
  JudgedGuard,
} from '@switchroom/contract/dialling'
import type { DialledCall } from '@switchroom/contract/placing'
import { carriersIn, failedInWords } from './dial-carriers.ts'
import { consentKinds } from '../invocation/closed-sets.ts'
import { afterOption, agentArgument, type Command } from '../invocation/command.ts'
import { exitCodes } from '../terminal/exit-codes.ts'
import { wrongUsage } from '../terminal/failures.ts'
import { GatewayClient, path } from '../gateway/gateway-client.ts'
import type { Invocation } from '../invocation/invocation.ts'
import type { Output } from '../terminal/output.ts'
import { plain } from '../terminal/text-width.ts'

const dial: Command = {
  name: 'dial',
  summary: 'place a call, or explain whether it would be allowed',
  details:
    'With --explain nothing is dialled or counted: every check is printed with its facts, and the exit\nstatus is 1 if the call would be refused. With --wait it is 1 if the call is not answered.',
  arguments: [
    agentArgument,
    { name: 'number', summary: 'the number to call, such as +34911234567', isOptional: true },
  ],
  options: [
    { name: 'from', value: 'number', summary: "one of the agent's numbers (default: its first)" },
    { name: 'extension', value: 'digits', summary: 'in place of a number: an extension of a SIP account' },
    { name: 'account', value: 'id', summary: 'with --extension: its SIP account, if the org has several' },
    { name: 'explain', summary: 'print every check with its facts, and dial nothing' },
    { name: 'wait', summary: 'wait until the call is answered, or say why it was not' },
    { name: 'consent', value: 'kind', choices: consentKinds, summary: 'a consent they gave; needs --source' },
    { name: 'source', value: 'text', summary: 'where the consent was given' },
  ],
  examples: [
    'svc dial hello +34911234567 --explain',
    'svc dial hello +34911234567 --env production --wait',
    'svc dial hello --extension 105 --account pbx',
    'svc dial hello +12125550123 --consent written --source "form of 3 May"',
  ],
  run: (invocation) => (invocation.flag('explain') ? explain(invocation) : place(invocation)),
}

const calledBy = (invocation: Invocation) => ({
  to: invocation.optional('number'),
  extension: invocation.option('extension'),
  account: invocation.option('account'),
  from: invocation.option('from'),
})

async function place(invocation: Invocation): Promise<number> {
  const consent = consentOf(invocation)
  const client = await invocation.client()
  const answer = await client.post<DialledCall>(path`/v1/agents/${invocation.argument('agent')}/dial`, {
    ...calledBy(invocation),
    consent,
    ...(invocation.flag('wait') && { log: true }),
  })
  const { log_token: token, ...dialled } = answer
  const say = ({ call, from, to }: Omit<DialledCall, 'log_token'>) => {
    invocation.out.line(`${call}: calling ${to} from ${from}.`)
    if (token === null) invocation.out.note(`Follow it with svc tail ${call}.`)
  }
  if (token === null) {
    invocation.answer(answer, say)
    return exitCodes.done
  }
  if (!invocation.isJson) say(answer)
  // The token opens this log whatever else the key opens.
  const end = await awaitAnswer(new GatewayClient({ url: client.url, key: token }), answer.call)
  const by = failedInWords(end)
  const [answered, not] = by === '' ? ['Answered', 'Not answered'] : [`Answered ${by}`, `Not answered ${by}`]
  invocation.answer({ ...dialled, ...end }, () =>
    invocation.out.line(end.why === null ? `${answered}.` : `${not}: ${plain(end.why)}.`),
  )
  return end.outcome === 'answered' ? exitCodes.done : exitCodes.refused
}

/** How the dial went, as soon as its log says so. */
async function awaitAnswer(client: GatewayClient, call: string): Promise<DialResult> {
  const log = client.follow(path`/v1/calls/${call}/events`, { after: 0, hasEnd: true, onLost: () => {} })
  for await (const { type, data: entry } of log) {
    const told = entry['data'] as Record<string, unknown>
    if (type === 'call.answered')
      return { outcome: 'answered', sip_status: null, sip_reason: null, why: null, ...carriersIn(told) }
    if (type !== 'call.ended') continue
    const { reason, why, sip_status, sip_reason } = told
    return {
      ...carriersIn(told),
      outcome: reason === 'busy' || reason === 'no_answer' ? reason : 'dial_failed',
      sip_status: typeof sip_status === 'number' ? sip_status : null,
      sip_reason: typeof sip_reason === 'string' ? sip_reason : null,
      why: typeof why === 'string' ? why : `it ended: ${String(reason)}`,
    }
  }
  throw new Error(`the log of ${call} ended without its end`)
}

function consentOf(invocation: Invocation): { kind: string; source: string } | undefined {
  const kind = invocation.option('consent')
  const source = invocation.option('source')
  if ((kind === undefined) !== (source === undefined))
    throw wrongUsage('--consent and --source must be given together')
  return kind === undefined || source === undefined ? undefined : { kind, source }
}

async function explain(invocation: Invocation): Promise<number> {
  const { out } = invocation
  const client = await invocation.client()
  const answer = await client.get<ExplainedDial>(
    path`/v1/agents/${invocation.argument('agent')}/dial/explain`,
    calledBy(invocation),
  )
  invocation.answer(answer, ({ guards, would, detail }) => {
    showGuards(out, guards)
    if (would === 'pass') out.line(out.style('green', 'This call would be placed.'))
    else out.line(out.style('red', `This call would be refused: ${plain(detail ?? '')}`))
  })
  return answer.would === 'pass' ? exitCodes.done : exitCodes.refused
}

const verdictStyles = { pass: 'green', refuse: 'red', exempt: 'yellow' } as const

/** The checks of a dial: for people on two lines, for programs one line each. */
function showGuards(out: Output, guards: readonly JudgedGuard[]): void {
  for (const { guard, verdict, exempt_by, saw, detail } of guards) {
    const judged = exempt_by === null ? verdict : `${verdict} (${exempt_by})`
    const [looked, says] = [plain(seen(out, saw)), plain(detail ?? '')]
    if (!out.isTerminal) out.line([guard, judged, looked, says].join('\t'))
    else {
      out.line(`${out.style(verdictStyles[verdict], judged.padEnd(7))} ${guard}: ${looked}`)
      if (says !== '') out.line(`        ${says}`)
    }
  }
}

/** The facts that a check used. */
function seen(out: Output, saw: GuardSeen): string {
  const { numbers, hours, zones, fact, ...plainly } = saw
  const told = Object.entries(plainly).map(([name, value]) => `${name}=${String(value)}`)
  for (const { number, why_not } of numbers ?? [])
    told.push(why_not === null ? number : `${number}: ${why_not}`)
  if (hours) told.push(`hours=${hours.start}-${hours.end} ${hours.days.join(',')}`)
  for (const { zone, local, inside } of zones ?? [])
    told.push(`${zone} ${local}${inside ? '' : ' (outside)'}`)
  if (fact) told.push(`${fact.kind ?? 'opt-out'} of ${out.time(fact.at)}`)
  return told.join('; ')
}

const dials: Command = {
  name: 'dials',
  summary: 'the dial log: accepted and refused dials, newest first',
  options: [afterOption],
  examples: ['svc dials', 'svc dials --env production --json'],
  async run(invocation) {
    const { out } = invocation
    const client = await invocation.client()
    const answer = await client.get<DialPage>('/v1/org/dials', { after: invocation.option('after') })
    invocation.page(
      answer,
      answer.dials,
      [
        { title: 'time', of: ({ at }) => out.time(at) },
        { title: 'agent', isName: true, of: ({ agent }) => agent },
        { title: 'kind', of: ({ kind }) => kind },
        { title: 'to', of: ({ to }) => to },
        { title: 'from', of: ({ from }) => from },
        {
          title: 'outcome',
          of: ({ outcome, reason }) => (reason === null ? outcome : `${outcome}: ${reason}`),
        },
        { title: 'result', of: ({ result }) => result && resultOf(result) },
        { title: 'call', isName: true, of: ({ call }) => call },
        { title: 'by', of: ({ by }) => by },
      ],
      'The dial log is empty.',
    )
  },
}

const resultOf = (result: DialResult) =>
  `${plain(result.why ?? result.outcome)} ${failedInWords(result)}`.trimEnd()

export const diallingCommands = [dial, dials]
