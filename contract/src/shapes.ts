import { Type, type Static, type TSchema } from 'typebox'
import { refusalCodeNames } from './refusal-codes.ts'

/** The body of every refusal of the gateway. */
export const Refused = Type.Object({
  detail: Type.String({ description: 'one sentence a person can act on' }),
  code: Type.String({
    description: 'one word a program can act on, of the list in docs/api.md',
    means: { type: 'string', enum: refusalCodeNames },
  }),
})
export type Refused = Static<typeof Refused>

/** The body of every refusal of the voice server and the dashboard. */
export const CodedRefusal = Type.Object({
  error: Type.String({ description: 'one sentence a person can act on' }),
  code: Type.String({ description: 'one word a program can act on' }),
})
export type CodedRefusal = Static<typeof CodedRefusal>

/** An instant in RFC 3339, UTC, with milliseconds. */
export const Timestamp = Type.String({ format: 'date-time', description: 'RFC 3339 in UTC' })

/** `{type: [T, 'null']}` validates and serialises faster than a union with null. */
export function nullable<Schema extends TSchema>(schema: Schema) {
  const { type, enum: values, ...rest } = schema as unknown as { type: string; enum?: string[] }
  return Type.Unsafe<Static<Schema> | null>({
    ...rest,
    ...(values && { enum: [...values, null] }),
    type: [type, 'null'],
  })
}

/** A string in an answer that is one of a closed set. */
export function oneOf<const Values extends readonly string[]>(values: Values) {
  return Type.Unsafe<Values[number]>({ type: 'string', enum: [...values] })
}

/**
 * A string in a request that a rule holds against a closed set: the shape says only that it is a string, so
 * that a wrong value is refused in its turn, with the rule's own sentence.
 */
export function anyOf(values: readonly string[], description?: string) {
  const set = `one of ${values.join(', ')}`
  const means = { type: 'string', enum: values }
  return Type.String({ description: description ? `${description}: ${set}` : set, means })
}

/** A whole number in a query, likewise; `means` is what the API's description says in place of the checked shape. */
export const wholeNumberText = (
  description: string,
  range: { minimum?: number; maximum?: number; default?: number },
) => Type.String({ description, means: { type: 'integer', ...range } })

/** A flag in a query, likewise. */
export const flagText = (description: string) => Type.String({ description, means: { type: 'boolean' } })

/** An answer that carries nothing. */
export const Nothing = Type.Unsafe<undefined>({ type: 'null', description: 'no body' })

export const Empty = Type.Object({})
