import { Type, type Static, type TSchema } from 'typebox'

/** The body of every refusal of the gateway: one sentence a person can act on. */
export const Refused = Type.Object({ detail: Type.String() })
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
  return Type.String({ description: description ? `${description}: ${set}` : set })
}

/** An answer that carries nothing. */
export const Nothing = Type.Unsafe<undefined>({ type: 'null', description: 'no body' })

export const Empty = Type.Object({})
