import type { Config } from '@switchroom/contract/settings'
import { badRequest } from '../../foundation/refusals.ts'

/** Where a threshold makes sense; both ends are inside. */
const bands = {
  eot_threshold: [0.5, 0.9],
  eager_eot_threshold: [0.3, 0.9],
} as const

export function refuseOutOfBand({ turn }: Config) {
  for (const name of ['eot_threshold', 'eager_eot_threshold'] as const) {
    const value = turn?.[name]
    const [least, most] = bands[name]
    if (value !== undefined && (value < least || value > most))
      throw badRequest(`${name} ${value} is outside ${least} to ${most}`)
  }
}
