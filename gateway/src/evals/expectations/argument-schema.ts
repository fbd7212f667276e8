import { isDeepStrictEqual } from 'node:util'
import { badRequest } from '../../foundation/refusals.ts'
import { codePoints } from '../../foundation/text.ts'
import { Pattern, refuseBadPattern } from './patterns.ts'

/** A part of JSON Schema that takes time in proportion to what it checks. */
export type ArgumentSchema = Readonly<Record<string, unknown>>

const types = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']
const deepest = 10

type Check = (value: unknown, said: never) => string | undefined

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const shown = (value: unknown) => JSON.stringify(value) ?? 'nothing'

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value
}
const isOfType = (value: unknown, type: string) =>
  type === 'integer' ? Number.isInteger(value) : type === typeOf(value)

const ofNumber =
  (holds: (value: number, limit: number) => boolean, words: string): Check =>
  (value, limit: number) =>
    typeof value === 'number' && !holds(value, limit) ? `is not ${words} ${limit}` : undefined
const ofLength =
  (holds: (length: number, limit: number) => boolean, words: string): Check =>
  (value, limit: number) =>
    typeof value === 'string' && !holds(codePoints(value).length, limit)
      ? `has ${words} ${limit} characters`
      : undefined
const ofItems =
  (holds: (length: number, limit: number) => boolean, words: string): Check =>
  (value, limit: number) =>
    Array.isArray(value) && !holds(value.length, limit) ? `has ${words} ${limit} items` : undefined

const checks: Readonly<Record<string, Check>> = {
  type: (value, said: string | readonly string[]) => {
    const wanted = [said].flat()
    return wanted.some((type) => isOfType(value, type)) ? undefined : `is not of type ${wanted.join(' or ')}`
  },
  enum: (value, said: readonly unknown[]) =>
    said.some((one) => isDeepStrictEqual(one, value)) ? undefined : `is none of ${shown(said)}`,
  const: (value, said: unknown) => (isDeepStrictEqual(said, value) ? undefined : `is not ${shown(said)}`),
  minimum: ofNumber((value, limit) => value >= limit, 'at least'),
  maximum: ofNumber((value, limit) => value <= limit, 'at most'),
  exclusiveMinimum: ofNumber((value, limit) => value > limit, 'above'),
  exclusiveMaximum: ofNumber((value, limit) => value < limit, 'below'),
  minLength: ofLength((length, limit) => length >= limit, 'fewer than'),
  maxLength: ofLength((length, limit) => length <= limit, 'more than'),
  minItems: ofItems((length, limit) => length >= limit, 'fewer than'),
  maxItems: ofItems((length, limit) => length <= limit, 'more than'),
  pattern: (value, said: string) =>
    typeof value === 'string' && !new Pattern(said).isIn(value) ? `does not match ${said}` : undefined,
  required: (value, said: readonly string[]) => {
    const missing = isObject(value) ? said.filter((name) => !Object.hasOwn(value, name)) : []
    return missing.length > 0 ? `has no ${missing.join(', ')}` : undefined
  },
}
const nested = ['properties', 'additionalProperties', 'items', 'anyOf']
const ignored: ReadonlySet<string> = new Set(['title', 'description', '$schema'])
export const schemaKeywords = [...Object.keys(checks), ...nested]

/** Why the value does not match, or undefined if it does. */
export function mismatch(schema: ArgumentSchema, value: unknown, at = 'it'): string | undefined {
  for (const [keyword, check] of Object.entries(checks)) {
    const why = Object.hasOwn(schema, keyword) ? check(value, schema[keyword] as never) : undefined
    if (why !== undefined) return `${at} ${why}`
  }
  return inObject(schema, value, at) ?? inItems(schema, value, at) ?? inAnyOf(schema, value, at)
}

function inObject(schema: ArgumentSchema, value: unknown, at: string): string | undefined {
  if (!isObject(value)) return undefined
  const properties = (schema['properties'] ?? {}) as Record<string, ArgumentSchema>
  const { additionalProperties: more } = schema
  for (const [name, one] of Object.entries(value)) {
    const own = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (!own && more === false) return `${at} has ${name}, which is not asked for`
    const rule = own ?? (isObject(more) ? more : undefined)
    const why = rule && mismatch(rule, one, name)
    if (why !== undefined) return why
  }
  return undefined
}

function inItems({ items }: ArgumentSchema, value: unknown, at: string): string | undefined {
  if (!isObject(items) || !Array.isArray(value)) return undefined
  for (const [place, item] of value.entries()) {
    const why = mismatch(items, item, `${at}[${place}]`)
    if (why !== undefined) return why
  }
  return undefined
}

function inAnyOf({ anyOf }: ArgumentSchema, value: unknown, at: string): string | undefined {
  if (!Array.isArray(anyOf)) return undefined
  const whys = (anyOf as ArgumentSchema[]).map((one) => mismatch(one, value, at))
  return whys.includes(undefined) ? undefined : `${at} matches none of anyOf`
}

/** Refuses a schema that says something else than what is checked here. */
export function refuseBadSchema(where: string, schema: unknown, depth = 0) {
  if (!isObject(schema)) throw badRequest(`${where} is a JSON schema, an object`)
  if (depth > deepest) throw badRequest(`${where} is nested more than ${deepest} deep`)
  for (const [keyword, said] of Object.entries(schema)) {
    if (ignored.has(keyword)) continue
    if (!schemaKeywords.includes(keyword))
      throw badRequest(`${where} has ${keyword}: only ${schemaKeywords.join(', ')} are checked`)
    refuseBadKeyword(`${where}.${keyword}`, keyword, said)
    for (const [name, inner] of innerSchemas(keyword, said))
      refuseBadSchema(`${where}.${name}`, inner, depth + 1)
  }
}

function innerSchemas(keyword: string, said: unknown): (readonly [string, unknown])[] {
  if (keyword === 'properties') return Object.entries(said as object)
  if (keyword === 'anyOf') return (said as unknown[]).map((one, place) => [`anyOf[${place}]`, one])
  if (keyword === 'items') return [['items', said]]
  return keyword === 'additionalProperties' && typeof said !== 'boolean' ? [[keyword, said]] : []
}

function refuseBadKeyword(where: string, keyword: string, said: unknown) {
  const isTexts = Array.isArray(said) && said.every((one) => typeof one === 'string')
  const isText = typeof said === 'string'
  if (keyword === 'type' && !(isText || isTexts ? [said].flat().every((one) => types.includes(one)) : false))
    throw badRequest(`${where} is one of ${types.join(', ')}, or a list of them`)
  if (keyword === 'required' && !isTexts) throw badRequest(`${where} is a list of names`)
  if ((keyword === 'enum' || keyword === 'anyOf') && !Array.isArray(said))
    throw badRequest(`${where} is a list`)
  if (keyword === 'properties' && !isObject(said)) throw badRequest(`${where} is an object of schemas`)
  if (keyword === 'pattern') {
    if (!isText) throw badRequest(`${where} is a pattern`)
    refuseBadPattern(where, said)
  }
  if (/^(min|max|exclusive)/.test(keyword) && typeof said !== 'number')
    throw badRequest(`${where} is a number`)
}
