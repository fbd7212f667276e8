import { Refused } from '@switchroom/contract/shapes'

/** Documents the statuses a route's own rules refuse with, beside its success. */
export const refusals = <const Statuses extends readonly number[]>(...statuses: Statuses) =>
  Object.fromEntries(statuses.map((status) => [status, Refused])) as Record<Statuses[number], typeof Refused>
