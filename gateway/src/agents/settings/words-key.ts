import { knobs, wordsKnobs } from '@switchroom/contract/knobs'
import type { Config } from '@switchroom/contract/settings'
import { isDeepStrictEqual } from 'node:util'
import type { Caller } from '../../foundation/caller.ts'
import { forbidden } from '../../foundation/refusals.ts'

const pipelineKnobs = knobs.filter((knob) => !wordsKnobs.includes(knob))

/** A server token that opens `app` sets agents as the pipeline does. */
export const opensWordsAlone = ({ kind, scopes }: Caller) =>
  !scopes.includes('pipeline') && !(kind === 'server' && scopes.includes('app'))

/**
 * The row that such a key's set makes: its words, and everything of the pipeline as it is in the same
 * scope. Sent back unchanged, a pipeline knob is carried over; changed, it is refused by name.
 */
export function carriedOver(sent: Config, standing: Config): Config {
  const refused = pipelineKnobs.filter(
    (knob) => Object.hasOwn(sent, knob) && !isDeepStrictEqual(sent[knob], standing[knob]),
  )
  if (refused.length > 0) {
    const names = refused.map((knob) => `\`${knob}\``).join(', ')
    throw forbidden(`${names}: the pipeline's, and this key opens words alone`)
  }
  const words = Object.entries(sent).filter(([knob]) => !(pipelineKnobs as string[]).includes(knob))
  const pipeline = Object.entries(standing).filter(([knob]) => !(wordsKnobs as string[]).includes(knob))
  return Object.fromEntries([...pipeline, ...words])
}
