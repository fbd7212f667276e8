import type { ChangePolicy, DialPolicy } from '@switchroom/contract/dialling'
import { weekdays } from '../invocation/closed-sets.ts'
import type { Command } from '../invocation/command.ts'
import { wrongUsage } from '../terminal/failures.ts'
import type { Invocation } from '../invocation/invocation.ts'

const at = '/v1/org/policy'
const countSummary = (what: string) => `${what}; default goes back to it`

const policy: Command = {
  name: 'policy',
  summary: "what the org holds its agents' dials to; options change it",
  details: 'Narrower than the law and the operator, never wider. What is not named stays as it is.',
  options: [
    {
      name: 'hours',
      value: 'from-until',
      summary: 'as 09:00-18:00, where the called number is; any is none',
    },
    {
      name: 'day',
      value: 'day',
      choices: weekdays,
      isRepeated: true,
      summary: 'with --hours; every day where unsaid',
    },
    {
      name: 'consent-everywhere',
      value: 'yes|no',
      choices: ['yes', 'no'],
      summary: 'whether every country needs a consent, and not +1 alone',
    },
    { name: 'per-number', value: 'count', summary: countSummary('dials to one number a day') },
    { name: 'per-minute', value: 'count', summary: countSummary('dials in 60 seconds') },
    { name: 'per-day', value: 'count', summary: countSummary('dials taken in 24 hours') },
  ],
  examples: [
    'svc policy',
    'svc policy --hours 09:00-18:00 --day mon --day tue',
    'svc policy --hours any --per-day default',
  ],
  async run(invocation) {
    const everywhere = invocation.option('consent-everywhere')
    const change: ChangePolicy = {
      ...hoursIn(invocation),
      ...(everywhere !== undefined && { consent_everywhere: everywhere === 'yes' }),
      ...countIn(invocation, 'per-number', 'per_number_day'),
      ...countIn(invocation, 'per-minute', 'per_minute'),
      ...countIn(invocation, 'per-day', 'per_day'),
    }
    const client = await invocation.client()
    const isChange = Object.keys(change).length > 0
    const answer = isChange ? await client.put<DialPolicy>(at, change) : await client.get<DialPolicy>(at)
    invocation.answer(answer, (stands) => show(invocation, stands))
  },
}

function show({ out }: Invocation, stands: DialPolicy): void {
  const { calling_hours: hours, per_number_day: perNumber } = stands
  out.fields({
    hours: hours === null ? 'any' : `${hours.start}-${hours.end} ${hours.days.join(' ')}`,
    'consent everywhere': stands.consent_everywhere,
    'per number a day': perNumber ?? '3 for +1, no limit elsewhere',
    'per minute': stands.per_minute,
    'per day': stands.per_day,
  })
}

function hoursIn(invocation: Invocation): Pick<ChangePolicy, 'calling_hours'> {
  const hours = invocation.option('hours')
  const days = invocation.list('day')
  if (hours === undefined) {
    if (days) throw wrongUsage('--day goes with --hours')
    return {}
  }
  if (hours === 'any') return { calling_hours: null }
  const [, start, end] = /^(\d\d:\d\d)-(\d\d:\d\d)$/.exec(hours) ?? []
  if (start === undefined || end === undefined)
    throw wrongUsage(`${hours} are no hours: they are written 09:00-18:00, or any`)
  return { calling_hours: { start, end, ...(days && { days }) } }
}

/** A whole number, or null where the default is wanted. */
function countIn(invocation: Invocation, option: string, field: keyof ChangePolicy): ChangePolicy {
  const said = invocation.option(option)
  if (said === undefined) return {}
  return { [field]: said === 'default' ? null : invocation.number(option) }
}

export const policyCommands = [policy]
