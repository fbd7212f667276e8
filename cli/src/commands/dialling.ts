import type { DialPage, ExplainedDial, GuardSeen, JudgedGuard } from '@switchroom/contract/dialling'
import type { DialledCall } from '@switchroom/contract/placing'
import { consentKinds } from '../invocation/closed-sets.ts'
import { afterOption, agentArgument, type Command } from '../invocation/command.ts'
import { exitCodes } from '../terminal/exit-codes.ts'
import { wrongUsage } from '../terminal/failures.ts'
import { path } from '../gateway/gateway-client.ts'
import type { Invocation } from '../invocation/invocation.ts'
import type { Output } from '../terminal/output.ts'
import { plain } from '../terminal/text-width.ts'

const dial: Command = {
  name: 'dial',
  summary: 'have an agent call somebody, or explain what a dial would be told',
  details:
    'With --explain nothing is dialled or counted: every guard is shown with what it saw, and the exit\nstatus is 1 where the dial would be refused.',
  arguments: [agentArgument, { name: 'number', summary: 'whom to call, as +34911234567' }],
  options: [
    { name: 'from', value: 'number', summary: "one of the agent's numbers; its first where unsaid" },
    { name: 'explain', summary: 'show every guard with what it saw, and dial nothing' },
    { name: 'consent', value: 'kind', choices: consentKinds, summary: 'a consent they gave, with --source' },
    { name: 'source', value: 'text', summary: 'where the consent was given' },
  ],
  examples: [
    'svc dial hello +34911234567 --explain',
    'svc dial hello +34911234567 --env production',
    'svc dial hello +12125550123 --consent written --source "form of 3 May"',
  ],
  run: (invocation) => (invocation.flag('explain') ? explain(invocation) : place(invocation)),
}

async function place(invocation: Invocation): Promise<number> {
  const consent = consentOf(invocation)
  const client = await invocation.client()
  const answer = await client.post<DialledCall>(path`/v1/agents/${invocation.argument('agent')}/dial`, {
    to: invocation.argument('number'),
    from: invocation.option('from'),
    consent,
  })
  invocation.answer(answer, ({ call, from, to }) => {
    invocation.out.line(`${call} rings ${to} from ${from}.`)
    invocation.out.note(`svc tail ${call} follows it.`)
  })
  return exitCodes.done
}

function consentOf(invocation: Invocation): { kind: string; source: string } | undefined {
  const kind = invocation.option('consent')
  const source = invocation.option('source')
  if ((kind === undefined) !== (source === undefined)) throw wrongUsage('--consent and --source go together')
  return kind === undefined || source === undefined ? undefined : { kind, source }
}

async function explain(invocation: Invocation): Promise<number> {
  const { out } = invocation
  const client = await invocation.client()
  const answer = await client.get<ExplainedDial>(
    path`/v1/agents/${invocation.argument('agent')}/dial/explain`,
    { to: invocation.argument('number'), from: invocation.option('from') },
  )
  invocation.answer(answer, ({ guards, would, detail }) => {
    showGuards(out, guards)
    if (would === 'pass') out.line(out.style('green', 'This dial would be placed.'))
    else out.line(out.style('red', `This dial would be refused: ${plain(detail ?? '')}`))
  })
  return answer.would === 'pass' ? exitCodes.done : exitCodes.refused
}

const verdictStyles = { pass: 'green', refuse: 'red', exempt: 'yellow' } as const

/** All that a guard says: for people under each other, for programs one line each. */
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

/** What a guard looked at, in its own words. */
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
  summary: 'every dial that was asked for, taken or refused, newest first',
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
        { title: 'call', isName: true, of: ({ call }) => call },
        { title: 'by', of: ({ by }) => by },
      ],
      'Nothing was dialled yet.',
    )
  },
}

export const diallingCommands = [dial, dials]
