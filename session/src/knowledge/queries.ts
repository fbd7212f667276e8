import { longestQuery } from '@switchroom/contract/knowledge-names'
import type { Entry } from '@switchroom/contract/log'

/** With fewer words the newest turn is taken to speak of what came before it, such as "and on Sunday?". */
const fewWords = 6
const wordsOf = new Intl.Segmenter(undefined, { granularity: 'word' })

/**
 * What the turn is about: what the user said since the agent's last words, and, as long as these are fewer than six
 * words, the one turn of theirs before it. Empty if they have said nothing.
 */
export function queryIn(entries: readonly Pick<Entry, 'type' | 'data'>[]): string {
  const [newest = '', before = ''] = turnsIn(entries)
  const isShort = newest !== '' && spokenWords(newest).length < fewWords
  const query = isShort && before !== '' ? `${before}\n${newest}` : newest
  return query.slice(-longestQuery).toWellFormed().trim()
}

/** The user's last two, the newest first. */
function turnsIn(entries: readonly Pick<Entry, 'type' | 'data'>[]): string[] {
  const turns: string[][] = []
  let isOpen = false
  for (const { type, data } of entries.toReversed()) {
    if (type === 'agent.message' && data['meanwhile'] !== true) isOpen = false
    if (type !== 'user.message' || typeof data['text'] !== 'string' || data['text'].trim() === '') continue
    if (!isOpen && turns.length === 2) break
    if (!isOpen) turns.push([])
    isOpen = true
    turns.at(-1)?.unshift(data['text'].trim())
  }
  return turns.map((texts) => texts.join('\n'))
}

const spokenWords = (text: string): string[] =>
  [...wordsOf.segment(text)].flatMap(({ segment, isWordLike }) => (isWordLike ? [segment] : []))

/** The same for texts of the same words, however they are written. */
export const wordingOf = (text: string) => spokenWords(text.toLowerCase()).join(' ')
