import { fingerprintOf, withInner, withoutNull, type JsonSchema } from './json-schema.ts'

/** The schemas that a document names, and references to them. */
export class Components {
  /** By name, as the document lists them. */
  readonly schemas: Record<string, JsonSchema> = {}
  readonly #nameOf = new Map<string, string>()

  /** With the names that schemas have where they are declared. */
  constructor(declared: ReadonlyMap<string, JsonSchema>) {
    for (const [name, schema] of declared) {
      const fingerprint = fingerprintOf(schema)
      if (!this.#nameOf.has(fingerprint)) this.#nameOf.set(fingerprint, name)
    }
  }

  /** A schema as the document shows it: by its name if it has one, with what is meant in place of what is checked. */
  describe = (checked: JsonSchema): JsonSchema => {
    const { schema, isNullable } = withoutNull(checked)
    const { means, description } = schema as { means?: JsonSchema; description?: string }
    const meant = means ? { ...means, description: means['description'] ?? description } : schema
    const name = this.#nameOf.get(fingerprintOf(schema)) ?? titleOf(meant)
    const about = description !== undefined && { description }
    if (name !== undefined) return this.#reference(name, meant, isNullable, about)
    const shown = withInner(meant, this.describe)
    return isNullable ? orNull(shown) : shown
  }

  /** A body or an answer: an object that is declared without a name gets one, so that generated types have it too. */
  describeWhole(checked: JsonSchema, name: string): JsonSchema {
    const { schema } = withoutNull(checked)
    const isNamed = this.#nameOf.has(fingerprintOf(schema)) || titleOf(schema) !== undefined
    if (!isNamed && schema['properties']) this.#nameOf.set(fingerprintOf(schema), name)
    return this.describe(checked)
  }

  #reference(name: string, meant: JsonSchema, isNullable: boolean, about: false | { description: string }) {
    if (!(name in this.schemas)) {
      this.schemas[name] = {} // a schema that holds itself ends here
      const { title: _, ...own } = meant
      this.schemas[name] = withInner(own, this.describe)
    }
    const reference = { $ref: `#/components/schemas/${name}` }
    return isNullable ? { anyOf: [reference, { type: 'null' }], ...about } : { ...reference, ...about }
  }
}

const titleOf = ({ title }: JsonSchema) => (typeof title === 'string' ? title : undefined)

function orNull(schema: JsonSchema): JsonSchema {
  const { type, enum: values } = schema
  if (type === undefined)
    return Object.keys(schema).some((keyword) => keyword !== 'description')
      ? { anyOf: [schema, { type: 'null' }] }
      : schema
  return {
    ...schema,
    type: [type, 'null'].flat(),
    ...(Array.isArray(values) && { enum: [...values, null] }),
  }
}
