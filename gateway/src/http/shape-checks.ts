import { Ajv, type ErrorObject } from 'ajv'
import fastJson from 'fast-json-stringify'
import type { FastifySchemaCompiler } from 'fastify'
import type { FastifySerializerCompiler } from 'fastify/types/schema.js'
import type { Static, TSchema } from 'typebox'
import { sentenceOf } from './shape-sentences.ts'

// A body keeps the types it came with; a query and a path are text, so they are read as what they must be.
const exact = new Ajv({ coerceTypes: false, strict: false, formats: { 'date-time': true, binary: true } })
const coercing = new Ajv({
  coerceTypes: 'array',
  useDefaults: true,
  strict: false,
  formats: { 'date-time': true },
})

interface Check {
  (data: unknown): boolean
  errors?: ErrorObject[] | null
}

/** Compiled when the first request comes: most routes of an idle gateway never need theirs. */
export const validatorOf: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  let compiled: Check | undefined
  const check: Check = (data) => {
    compiled ??= (httpPart === 'body' ? exact : coercing).compile(schema) as Check
    const isFit = compiled(data)
    check.errors = compiled.errors ?? null
    return isFit
  }
  return check
}

/** Likewise when the first answer goes. */
export const serializerOf: FastifySerializerCompiler<TSchema> = ({ schema }) => {
  let compiled: ((data: unknown) => string) | undefined
  return (data) => (compiled ??= fastJson(schema as fastJson.Schema))(data)
}

/** As a body would have to; `typebox/value` would be 306 files more in each gateway. */
export const fits = (schema: TSchema, data: unknown): boolean => exact.compile(schema)(data)

/** What came over a socket, held to its shape as a body would be. */
export function shapedAs<Schema extends TSchema>(schema: Schema, sent: unknown): Static<Schema> {
  const isFit = exact.compile(schema) // compiled once a schema
  if (isFit(sent)) return sent as Static<Schema>
  throw sentenceOf({ validation: isFit.errors ?? [], validationContext: 'frame' })
}
