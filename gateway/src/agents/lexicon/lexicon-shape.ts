import type { Lexicon } from '@switchroom/contract/settings'
import { badRequest } from '../../foundation/refusals.ts'
import { codePoints } from '../../foundation/text.ts'
import { wordForm } from './said.ts'

const mostEntries = 500
const longestWord = 100

/** A whole lexicon as the caller sent it: a half left out is empty, and words are kept trimmed. */
export function readLexicon(sent: Record<string, unknown>): Lexicon {
  refuseOtherMembers('a lexicon', ['said', 'heard'], sent)
  const said = entriesOf('said', sent['said']).map(saidOf)
  const heard = entriesOf('heard', sent['heard']).map((word, at) => wordOf(`heard[${at}]`, word))
  refuseTwice(
    'said',
    said.map(({ word }) => word),
    wordForm,
  )
  refuseTwice('heard', heard, (word) => word)
  return { said, heard }
}

function entriesOf(half: 'said' | 'heard', sent: unknown): unknown[] {
  if (sent === undefined) return []
  if (!Array.isArray(sent)) throw badRequest(`\`${half}\` is a list`)
  if (sent.length > mostEntries) throw badRequest(`\`${half}\` has at most ${mostEntries} entries`)
  return sent
}

function saidOf(sent: unknown, at: number): Lexicon['said'][number] {
  const place = `said[${at}]`
  if (!isRecord(sent)) throw badRequest(`\`${place}\` is an object of word and spoken`)
  refuseOtherMembers(`\`${place}\``, ['word', 'spoken'], sent)
  return { word: wordOf(`${place}.word`, sent['word']), spoken: wordOf(`${place}.spoken`, sent['spoken']) }
}

function wordOf(place: string, sent: unknown): string {
  if (typeof sent !== 'string') throw badRequest(`\`${place}\` is a string`)
  const word = sent.trim()
  if (word === '') throw badRequest(`\`${place}\` is blank`)
  if (codePoints(word).length > longestWord)
    throw badRequest(`\`${place}\` is at most ${longestWord} characters`)
  return word
}

function refuseOtherMembers(what: string, members: readonly string[], sent: Record<string, unknown>) {
  const other = Object.keys(sent).find((name) => !members.includes(name))
  if (other !== undefined) throw badRequest(`${what} has ${members.join(' and ')}, and no ${other}`)
}

function refuseTwice(half: string, words: readonly string[], formOf: (word: string) => string) {
  const seen = new Set<string>()
  for (const word of words) {
    const form = formOf(word)
    if (seen.has(form)) throw badRequest(`\`${half}\` has ${word} twice`)
    seen.add(form)
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
