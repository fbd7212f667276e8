import type { Session } from '@switchroom/contract/sessions'

type Head = Pick<Session, 'contact' | 'from' | 'to' | 'direction' | 'channel'>

const channelNames = new Map([
  ['chat', 'Chat'],
  ['web', 'Browser'],
  ['phone', 'Phone'],
  ['msgapp', 'WhatsApp'],
])
export const channelName = (channel: string) => channelNames.get(channel) ?? channel
export const channelOptions = [...channelNames].map(([value, label]) => ({ value, label }))

/** The number or id of the other party; null for an anonymous one. */
export const contactOf = ({ contact, from, to, direction }: Head) =>
  contact ?? (direction === 'outbound' ? to : from)

export const contactLabel = (head: Head) => contactOf(head) ?? 'Anonymous'

const longestTitle = 60

/** The first words of the caller; before them the contact or the channel. */
export function callTitle(head: Head, firstWords: string): string {
  const words = firstWords.replaceAll(/\s+/g, ' ').trim()
  if (words.length > longestTitle) return `${words.slice(0, longestTitle).trimEnd()}…`
  if (words !== '') return words
  const contact = contactOf(head)
  if (contact !== null) return `Call with ${contact}`
  return head.channel === 'chat' ? 'Chat' : `${channelName(head.channel)} call`
}

export const stateName = (state: Session['state']) =>
  ({ open: 'Live', held: 'Taken over', ended: 'Ended' })[state]
