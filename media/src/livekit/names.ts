import { createHash } from 'node:crypto'

export const roomPrefix = 'call-'

/** Of a call that we know before anybody is in a room. */
export const roomOf = (call: string) => `${roomPrefix}${call}`

/** The SIP service names the rooms of those who call: such a call is named after its room, so that it is found there. */
export const callIn = (room: string) => `call_${createHash('sha256').update(room).digest('hex').slice(0, 24)}`
