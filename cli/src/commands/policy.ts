import type { ChangePolicy, DialPolicy } from '@switchroom/contract/dialling'
import { weekdays } from '../invocation/closed-sets.ts'
import type { Command } from '../invocation/command.ts'
import { wrongUsage } from '../terminal/failures.ts'
import type { Invocation } from '../invocation/invocation.ts'

const at = '/v1/org/policy'
const countSummary = (what: string) => `${what}; "default" resets it`

const policy: Command = {
  name: 'policy',
  summary: "show the org's calling limits; options change them",
  details:
    "Limits can be stricter than the law and the operator's, never looser. Options that are not given keep their value.",
  options: [
    {
      name: 'hours',
      value: 'from-until',
      summary: "calling hours in the called number's time zone, such as 09:00-18:00; any removes them",
    },
    {
      name: 'day',
      value: 'day',
      choices: weekdays,
      isRepeated: true,
      summary: 'with --hours: a day (default: every day)',
    },
    {
      name: 'consent-everywhere',
      value: 'yes|no',
      choices: ['yes', 'no'],
      summary: 'require a consent in every country, not only in +1',
    },
    { name: 'per-number', value: 'count', summary: countSummary('dials per number and day') },
    { name: 'per-minute', value: 'count', summary: countSummary('dials in 60 seconds') },
    { name: 'per-day', value: 'count', summary: countSummary('accepted dials in 24 hours') },
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
    'per number and day': perNumber ?? '3 for +1, no limit elsewhere',
    'per minute': stands.per_minute,
    'per day': stands.per_day,
  })
}

function hoursIn(invocation: Invocation): Pick<ChangePolicy, 'calling_hours'> {
  const hours = invocation.option('hours')
  const days = invocation.list('day')
  if (hours === undefined) {
    if (days) throw wrongUsage('--day needs --hours')
    return {}
  }
  if (hours === 'any') return { calling_hours: null }
  const [, start, end] = /^(\d\d:\d\d)-(\d\d:\d\d)$/.exec(hours) ?? []
  if (start === undefined || end === undefined)
    throw wrongUsage(`${hours} is not a time range: write 09:00-18:00, or any`)
  return { calling_hours: { start, end, ...(days && { days }) } }
}

/** A whole number, or null if the default is wanted. */
function countIn(invocation: Invocation, option: string, field: keyof ChangePolicy): ChangePolicy {
  const said = invocation.option(option)
  if (said === undefined) return {}
  return { [field]: said === 'default' ? null : invocation.number(option) }
}

export const policyCommands = [policy]
