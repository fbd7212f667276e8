import { Type, type Static } from 'typebox'
import { anyOf, nullable, oneOf } from './shapes.ts'

export const consentKinds = ['express', 'written'] as const
export type ConsentKind = (typeof consentKinds)[number]

export const standings = ['consented', 'opted_out', 'unknown'] as const
export type ConsentStanding = (typeof standings)[number]

/** Any words, or what a system of the org's keeps of it. */
const evidence = { type: ['string', 'object'], additionalProperties: true }
export type Evidence = string | Record<string, unknown>

const agreed = {
  kind: anyOf(consentKinds),
  source: Type.String({ description: 'where it was given, 1 to 500 characters' }),
  text: Type.Optional(Type.String({ description: 'the words agreed to, 4000 characters at most' })),
  evidence: Type.Optional(
    Type.Unsafe<Evidence>({ ...evidence, description: 'text of 4000 characters at most, or an object' }),
  ),
}

/** A consent that is sent with a dial. */
export const SentConsent = Type.Object(agreed)
export type SentConsent = Static<typeof SentConsent>

export const RecordConsent = Type.Object({ number: Type.String(), ...agreed })
export type RecordConsent = Static<typeof RecordConsent>

/** The number in a path, as +15550100100. */
export const NumberParams = Type.Object({ number: Type.String() })

const Instant = Type.Number({ description: 'epoch seconds' })
const By = Type.String({ description: "a member's id, `caller`, or the label of a key without a member" })
const OnCall = nullable(Type.String({ description: 'the call it was said on' }))

export const ConsentFact = Type.Object({
  id: Type.String(),
  number: Type.String(),
  fact: oneOf(['consent', 'opt_out']),
  kind: nullable(oneOf(consentKinds)),
  source: nullable(Type.String()),
  text: nullable(Type.String()),
  evidence: Type.Unsafe<Evidence | null>({}),
  by: By,
  call: OnCall,
  at: Instant,
})
export type ConsentFact = Static<typeof ConsentFact>

export const NumberConsents = Type.Object({
  number: Type.String(),
  standing: oneOf(standings),
  rows: Type.Array(ConsentFact, { description: 'newest first; none is ever changed' }),
})
export type NumberConsents = Static<typeof NumberConsents>

export const DoNotCallAsked = Type.Object({
  after: Type.Optional(Type.String({ description: 'the `next` of the page before' })),
})
export type DoNotCallAsked = Static<typeof DoNotCallAsked>

const ListedNumber = Type.Object({
  number: Type.String(),
  source: nullable(Type.String()),
  by: By,
  call: OnCall,
  at: Instant,
})

export const DoNotCallPage = Type.Object({
  numbers: Type.Array(ListedNumber, { description: 'newest first, 100 at most' }),
  next: nullable(Type.String({ description: 'null on the last page' })),
})
export type DoNotCallPage = Static<typeof DoNotCallPage>

export const ImportDoNotCall = Type.Object({
  numbers: Type.Array(Type.String(), { description: '1 to 10000' }),
  source: Type.String({ description: 'the list they come from, 1 to 500 characters' }),
})
export type ImportDoNotCall = Static<typeof ImportDoNotCall>

export const ImportedDoNotCall = Type.Object({
  added: Type.Integer({ description: 'how many numbers are on the list now by this import' }),
  refused: Type.Array(Type.String(), { description: 'what is no number in international form, as it came' }),
})
export type ImportedDoNotCall = Static<typeof ImportedDoNotCall>
