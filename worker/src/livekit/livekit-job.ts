import { callIn } from '@switchroom/media/livekit/names'
import type { OfferedJob } from '@switchroom/media/livekit/dispatch'
import type { RoomCaller } from '@switchroom/media/livekit/room'

/** Which call a room is for: one that the gateway opened or dials, or one that a phone just made. */
export type JobCall =
  | { way: 'arrived'; call: string }
  | { way: 'known'; call: string }
  | { way: 'placed'; call: string; maxDurationS: number }

/** Undefined if it is not from a gateway of ours. */
export function callOf({ room, metadata }: OfferedJob): JobCall | undefined {
  if (metadata === '') return { way: 'arrived', call: callIn(room) }
  const { call, max_duration_s: maxDurationS } = objectIn(metadata)
  if (typeof call !== 'string' || call === '') return undefined
  return typeof maxDurationS === 'number' ? { way: 'placed', call, maxDurationS } : { way: 'known', call }
}

/** The called and the calling number of a phone's call, as the SIP service says; undefined without a called number. */
export function partiesOf({ isPhone, attributes }: RoomCaller): { number: string; from: string } | undefined {
  const number = withPlus(attributes['sip.trunkPhoneNumber'] ?? '')
  return isPhone && number !== ''
    ? { number, from: withPlus(attributes['sip.phoneNumber'] ?? '') }
    : undefined
}

/** Carriers leave the plus of a whole number out at times. */
const withPlus = (number: string) => (/^[1-9]\d{10,14}$/.test(number) ? `+${number}` : number)

function objectIn(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}
