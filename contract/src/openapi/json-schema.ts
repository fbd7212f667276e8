/** A schema as it is checked or described. */
export type JsonSchema = Readonly<Record<string, unknown>>

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Where a schema holds others, by what they are held in. */
const single = ['items', 'additionalProperties', 'not']
const listed = ['anyOf', 'oneOf', 'allOf']
const named = ['properties', 'patternProperties']

const each = (held: unknown, change: (schema: JsonSchema) => JsonSchema) =>
  isSchema(held)
    ? Object.fromEntries(Object.entries(held).map(([name, schema]) => [name, change(schema as JsonSchema)]))
    : held

/** The same schema with every schema inside it changed. */
export function withInner(schema: JsonSchema, change: (inner: JsonSchema) => JsonSchema): JsonSchema {
  const changed: Record<string, unknown> = { ...schema }
  for (const keyword of single) if (isSchema(schema[keyword])) changed[keyword] = change(schema[keyword])
  for (const keyword of listed)
    if (Array.isArray(schema[keyword])) changed[keyword] = (schema[keyword] as JsonSchema[]).map(change)
  for (const keyword of named) if (isSchema(schema[keyword])) changed[keyword] = each(schema[keyword], change)
  return changed
}

/** What it accepts beside null, and whether it accepts null. */
export function withoutNull({ nullable, ...schema }: JsonSchema): {
  schema: JsonSchema
  isNullable: boolean
} {
  const { type, enum: values } = schema
  if (!Array.isArray(type) || type.length < 2 || !type.includes('null'))
    return { schema, isNullable: nullable === true }
  const rest = type.filter((name) => name !== 'null')
  const bare = {
    ...schema,
    type: rest.length === 1 ? rest[0] : rest,
    ...(Array.isArray(values) && { enum: values.filter((value) => value !== null) }),
  }
  return { schema: bare, isNullable: true }
}

/** The same for every two schemas that accept the same, but for their own description. */
export function fingerprintOf(schema: JsonSchema): string {
  const { description: _, ...accepted } = schema
  return JSON.stringify(sorted(accepted))
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isSchema(value)) return value
  const names = Object.keys(value).toSorted()
  return Object.fromEntries(names.map((name) => [name, sorted(value[name])]))
}
