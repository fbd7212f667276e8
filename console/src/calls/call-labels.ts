import type { Session } from '@switchroom/contract/sessions'

type Head = Pick<Session, 'contact' | 'from' | 'to' | 'direction' | 'channel'>

const channelNames = new Map([
  ['chat', 'Chat'],
  ['web', 'Browser'],
  ['phone', 'Phone'],
  ['msgapp', 'Messages'],
])
export const channelName = (channel: string) => channelNames.get(channel) ?? channel
export const channelOptions = [...channelNames].map(([value, label]) => ({ value, label }))

/** Under what the gateway knows whom the agent speaks with; null for whoever said nothing of themselves. */
export const contactOf = ({ contact, from, to, direction }: Head) =>
  contact ?? (direction === 'outbound' ? to : from)

/** Whom the agent speaks with, in words. */
export const otherSide = (head: Head) =>
  contactOf(head) ?? (head.channel === 'phone' ? 'Number withheld' : 'A visitor')

export const stateName = (state: Session['state']) =>
  ({ open: 'Live', held: 'Taken over', ended: 'Ended' })[state]
