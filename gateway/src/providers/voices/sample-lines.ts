import { primaryTag } from '@switchroom/kit/languages'
import { badRequest } from '../../foundation/refusals.ts'
import { codePoints } from '../../foundation/text.ts'

const mostCharacters = 400
const lastResort = 'Hello, this is how I sound.'

/** The text of a sample: the one that was sent, else the line of its language, else the English one. */
export function readLine(
  typed: string | null | undefined,
  language: string | undefined,
  lines: Readonly<Record<string, string>>,
): string {
  if (typed === undefined) return lineIn(language ?? 'en', lines)
  if (typed === null || typed.trim() === '')
    throw badRequest('`text` is blank: leave it out to hear the usual line')
  if (codePoints(typed).length > mostCharacters)
    throw badRequest(`\`text\` is at most ${mostCharacters} characters: cut it shorter`)
  return typed
}

export const lineIn = (language: string, lines: Readonly<Record<string, string>>): string =>
  lines[language] ?? lines[primaryTag(language)] ?? lines['en'] ?? lastResort
