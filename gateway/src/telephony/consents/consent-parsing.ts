import { consentKinds, type ConsentKind, type SentConsent } from '@switchroom/contract/consents'
import { badRequest, unprocessable } from '../../foundation/refusals.ts'
import { codePoints } from '../../foundation/text.ts'

const longestSource = 500
const longestWords = 4000

/** A consent whose fields are valid; `at` is their path in the body. */
export function readConsent<Sent extends SentConsent>(sent: Sent, at = ''): Sent & { kind: ConsentKind } {
  const kind = consentKinds.find((known) => known === sent.kind)
  if (!kind) throw unprocessable(`${at}kind: must be one of ${consentKinds.join(', ')}`)
  const source = readSource(sent.source, at)
  refuseLongerThan(longestWords, `${at}text`, sent.text)
  refuseLongerThan(longestWords, `${at}evidence`, sent.evidence)
  return { ...sent, kind, source }
}

export function readSource(source: string, at = ''): string {
  if (source.trim() === '') throw unprocessable(`${at}source: is blank`)
  refuseLongerThan(longestSource, `${at}source`, source)
  return source
}

function refuseLongerThan(most: number, field: string, words: unknown) {
  if (typeof words === 'string' && codePoints(words).length > most)
    throw badRequest(`${field}: has more than ${most} characters`)
}
