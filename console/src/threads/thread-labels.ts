import type { Thread } from '@switchroom/contract/threads'

/** A thread and its agent. */
export interface AgentThread extends Thread {
  agent: string
}

export const keyOf = ({ agent, contact }: Pick<AgentThread, 'agent' | 'contact'>) => `${agent} ${contact}`

export const addressOf = ({ agent, contact }: Pick<AgentThread, 'agent' | 'contact'>) =>
  `/threads/${encodeURIComponent(agent)}/${encodeURIComponent(contact)}`

export const titleOf = ({ name, contact }: Pick<Thread, 'name' | 'contact'>) => name || contact

/** The text of the last or waiting message. */
export function lastWords({ turns, waiting }: Thread): string {
  const waits = waiting.at(-1)
  const last = turns.at(-1)
  if (waits && (!last || waits.ts >= last.ts)) return waits.text
  if (!last) return ''
  return last.who === 'contact' ? last.text : `${last.who === 'agent' ? 'Agent' : 'Supervisor'}: ${last.text}`
}

const showing = {
  all: () => true,
  unread: ({ unread }: Thread) => (unread ?? 0) > 0,
  held: ({ state }: Thread) => state === 'held',
  open: ({ state, calls }: Thread) =>
    state === 'open' ||
    state === 'held' ||
    state === 'waiting' ||
    calls.some(({ ended_at }) => ended_at === null),
}
export type Showing = keyof typeof showing
export const isShowing = (text: string): text is Showing => text in showing

/** The matching threads, newest first. */
export function chosen(threads: readonly AgentThread[], show: Showing, words: string): AgentThread[] {
  const sought = words.trim().toLowerCase()
  return threads
    .filter(showing[show])
    .filter((thread) =>
      [thread.contact, thread.name ?? '', lastWords(thread)].some((text) =>
        text.toLowerCase().includes(sought),
      ),
    )
    .toSorted((a, b) => b.last_at - a.last_at)
}

const deliveryLabels = {
  sending: 'Sending',
  sent: 'Sent',
  delivered: 'Delivered',
  read: 'Read',
  failed: 'Not delivered',
} as const

/** How far a message to the contact has come; empty for other turns. */
export const deliveryOf = ({ delivery }: Thread['turns'][number]) =>
  delivery ? deliveryLabels[delivery.status] : ''

/** Why no message can be sent now; null if one can. */
export function whyClosed({ state, window_closes_at, turns, calls }: Thread, nowS: number): string | null {
  if (calls.at(-1) && calls.at(-1)?.channel !== 'msgapp')
    return 'Their last contact was a call or a chat. Send a template, or wait until they write.'
  if (state === 'waiting') return 'Their message is waiting: no app is connected to the agent.'
  if (state === 'ended' || state === 'none' || turns.length === 0)
    return 'This conversation has ended. Send a template, or wait until they write.'
  if (window_closes_at === null || window_closes_at <= nowS)
    return 'Their last message is more than 24 hours old. Send a template, or wait until they write.'
  return null
}
