import { weekdays, type CallingHours, type Weekday, type ZoneSeen } from '@switchroom/contract/dialling'

/** What the telemarketing rule of the United States allows for calling code 1. */
const planOneHours: CallingHours = { start: '08:00', end: '21:00', days: [...weekdays] }

/** The hours in which a number may be dialled; null means any: an org narrows plan one's and never widens them. */
export function hoursFor(isPlanOne: boolean, own: CallingHours | null): CallingHours | null {
  if (!isPlanOne) return own
  if (own === null) return planOneHours
  const start = own.start > planOneHours.start ? own.start : planOneHours.start
  const end = own.end < planOneHours.end ? own.end : planOneHours.end
  return { start, end, days: own.days }
}

/** The local time of each zone, and whether it is inside the hours. */
export function zonesAt(zones: readonly string[], hours: CallingHours, now: Date): ZoneSeen[] {
  return zones.map((zone) => {
    const { day, time } = localTime(zone, now)
    return { zone, local: `${day} ${time}`, inside: isInside(hours, day, time) }
  })
}

/** The start is inside and the end is not; hours whose end comes first hold nothing. `HH:MM` sorts as text. */
const isInside = ({ start, end, days }: CallingHours, day: Weekday, time: string) =>
  start <= time && time < end && days.includes(day)

const clocks = new Map<string, Intl.DateTimeFormat>()

/** What a clock on the wall shows there, by the rules of that zone on that date. */
function localTime(zone: string, now: Date): { day: Weekday; time: string } {
  const [day = '', time = ''] = clockIn(zone).format(now).split(' ')
  return { day: day.toLowerCase() as Weekday, time }
}

/** Making one costs a hundred times what reading it does. */
function clockIn(zone: string): Intl.DateTimeFormat {
  const known = clocks.get(zone)
  if (known) return known
  const shown = { weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
  const made = new Intl.DateTimeFormat('en-GB', { timeZone: zone, ...shown })
  clocks.set(zone, made)
  return made
}
