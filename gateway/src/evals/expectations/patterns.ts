import { RE2JS } from 're2js'
import { badRequest } from '../../foundation/refusals.ts'

const longest = 500

/** A pattern whose search takes time in proportion to the text, whatever it says: people write them, and we run them. */
export class Pattern {
  readonly #compiled: RE2JS

  constructor(source: string) {
    this.#compiled = RE2JS.compile(source)
  }

  isIn(text: string): boolean {
    return this.#compiled.matcher(text).find()
  }
}

/** Refuses one that cannot be run, where it is written. */
export function refuseBadPattern(where: string, source: string) {
  if (source === '' || source.length > longest)
    throw badRequest(`${where} is a pattern of 1 to ${longest} characters`)
  try {
    RE2JS.compile(source)
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : 'unknown'
    throw badRequest(`${where} is no pattern of RE2, which has no lookaround and no backreferences: ${why}`)
  }
}
