import { knobTable, type KnobRow } from './knobs.ts'
import type { Member, Shape } from './knob-shapes.ts'

type JsonSchema = Record<string, unknown>

type Schemas = { [Kind in Shape['kind']]: (shape: Extract<Shape, { kind: Kind }>) => JsonSchema }

/** What each kind of shape of the knob table accepts, as JSON Schema. */
const schemas: Schemas = {
  text: ({ longest, mayBeEmpty }) => ({
    type: 'string',
    ...(longest !== undefined && { maxLength: longest }),
    ...(!mayBeEmpty && { minLength: 1 }),
  }),
  number: ({ isWhole, from, to, above }) => ({
    type: isWhole ? 'integer' : 'number',
    ...(from !== undefined && { minimum: from }),
    ...(to !== undefined && { maximum: to }),
    ...(above !== undefined && { exclusiveMinimum: above }),
  }),
  flag: () => ({ type: 'boolean' }),
  choice: ({ choices }) => ({ type: 'string', enum: choices }),
  texts: () => ({ anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] }),
  options: () => ({ type: 'object', additionalProperties: true }),
  object: ({ members, needs }) => objectOf(members, needs?.member),
  list: ({ members, needs }) => ({ type: 'array', items: objectOf(members, needs.member) }),
}

// The kind names the function that takes the shape, which the compiler does not follow.
const schemaOf = (shape: Shape) => (schemas[shape.kind] as (shape: Shape) => JsonSchema)(shape)

function objectOf(members: Record<string, Member>, needed: string | undefined): JsonSchema {
  const properties = Object.fromEntries(
    Object.entries(members).map(([name, { shape, label, band, default: own }]) => [
      name,
      {
        ...schemaOf(shape),
        ...(band && { minimum: band[0], maximum: band[1] }),
        description: described(label, own),
      },
    ]),
  )
  return {
    type: 'object',
    properties,
    ...(needed !== undefined && { required: [needed] }),
    additionalProperties: false,
  }
}

/** In words: a generator takes a field with the keyword `default` for one that is always there. */
const described = (about: string, { value }: KnobRow['default']) =>
  value === undefined ? about : `${about}; default ${value}`

const rows: [string, KnobRow][] = Object.entries(knobTable)

/** The knobs of an agent, typed by their table. Rules refuse a wrong value in their own sentence, so that nothing is checked by it. */
export const AgentConfig: JsonSchema = {
  title: 'AgentConfig',
  type: 'object',
  description: 'the knobs that are set; one that is absent is not set',
  properties: Object.fromEntries(
    rows.map(([name, { shape, about, default: own }]) => [
      name,
      { ...schemaOf(shape), description: described(about, own) },
    ]),
  ),
  additionalProperties: false,
}
