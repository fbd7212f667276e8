const yearAndPlace = (month: number) => [Math.floor(month / 100), (month % 100) - 1] as const

/** The month of a log's entries: 202611 is November 2026, in UTC. */
export const monthOf = (date: Date) => date.getUTCFullYear() * 100 + date.getUTCMonth() + 1

export function monthAfter(month: number, months = 1): number {
  const [year, place] = yearAndPlace(month)
  return monthOf(new Date(Date.UTC(year, place + months)))
}

/** When the next one begins. */
export function endOf(month: number): Date {
  const [year, place] = yearAndPlace(month)
  return new Date(Date.UTC(year, place + 1))
}

/** Of agents' own logs and of those from before there were months. */
export const noMonth = 0

/**
 * SQL that an entry is of this log, whose id is given as SQL. It names the month, so that PostgreSQL looks into one
 * partition of `entries`; a log whose entries are past their life has none.
 */
export const ofLog = (log: string, entries = 'entries') =>
  `${entries}.log = ${log} and ${entries}.month = (select place.month from logs place where place.id = ${log})`
