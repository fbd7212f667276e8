import { Components } from './components.ts'
import type { JsonSchema } from './json-schema.ts'
import { statusNames } from './status-names.ts'

/** A schema, or schemas by the media type of a body or an answer: `{content: {<type>: {schema}}}`. */
type Content = object

/** One operation, with the schemas that check it. */
export interface Operation {
  id: string
  method: string
  /** With parameters as `{agent}`. */
  path: string
  tag: string
  summary?: string
  description?: string
  security: readonly Record<string, readonly string[]>[]
  params?: object | undefined
  querystring?: object | undefined
  headers?: object | undefined
  /** Parameters that the document names, by their names. */
  shared?: readonly string[]
  body?: Content
  /** Whether a request without a body is taken. */
  isBodyOptional?: boolean
  example?: unknown
  responses: Record<string, Content>
  /** Only if it is served elsewhere than the rest. */
  servers?: readonly { url: string; description?: string }[]
}

export interface DocumentParts {
  title: string
  version: string
  description: string
  servers: readonly { url: string; description?: string }[]
  /** By name, in the order in which they are listed. */
  tags: Readonly<Record<string, string>>
  securitySchemes: Record<string, object>
  parameters?: Record<string, object>
  /** The names of declared schemas. */
  names: ReadonlyMap<string, object>
  operations: readonly Operation[]
}

/** An OpenAPI 3.1 document of these operations. */
export function openApiDocument(parts: DocumentParts) {
  const components = new Components(parts.names as ReadonlyMap<string, JsonSchema>)
  const paths: Record<string, Record<string, object>> = {}
  for (const operation of parts.operations) {
    const item = (paths[operation.path] ??= {})
    item[operation.method.toLowerCase()] = describeOperation(operation, components)
  }
  const used = new Set(parts.operations.map(({ tag }) => tag))
  const shared = new Set(parts.operations.flatMap((operation) => operation.shared ?? []))
  const schemes = new Set(parts.operations.flatMap(({ security }) => security.flatMap(Object.keys)))
  return {
    openapi: '3.1.0',
    info: {
      title: parts.title,
      version: parts.version,
      description: parts.description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: parts.servers,
    tags: Object.entries(parts.tags)
      .filter(([name]) => used.has(name))
      .map(([name, description]) => ({ name, description })),
    paths: sortedByName(paths),
    components: {
      schemas: sortedByName(components.schemas),
      parameters: only(parts.parameters ?? {}, shared),
      securitySchemes: only(parts.securitySchemes, schemes),
    },
  }
}

function describeOperation(operation: Operation, components: Components) {
  const { id, tag, summary, description, security, servers, body, example } = operation
  const named = capitalised(id)
  const parameters = [
    ...parametersIn('path', operation.params as JsonSchema, components),
    ...parametersIn('query', operation.querystring as JsonSchema, components),
    ...parametersIn('header', operation.headers as JsonSchema, components),
    ...(operation.shared ?? []).map((name) => ({ $ref: `#/components/parameters/${name}` })),
  ]
  const media = (content: Content, name: string) => mediaTypes(content, name, components)
  return {
    operationId: id,
    tags: [tag],
    ...(summary !== undefined && { summary }),
    ...(description !== undefined && { description }),
    security,
    ...(servers && { servers }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: operation.isBodyOptional !== true,
        content: withExample(media(body, `${named}Request`), example),
      },
    }),
    responses: Object.fromEntries(
      Object.entries(operation.responses).map(([status, content]) => [
        status,
        describeResponse(status, content, (whole) => media(whole, `${named}Answer`)),
      ]),
    ),
  }
}

function describeResponse(status: string, content: Content, media: (content: Content) => object) {
  const description = statusNames[status] ?? `HTTP ${status}`
  return isEmpty(content) ? { description } : { description, content: media(content) }
}

const isEmpty = (content: Content) => 'type' in content && content.type === 'null'

function mediaTypes(content: Content, name: string, components: Components) {
  const of = (schema: JsonSchema) => ({ schema: components.describeWhole(schema, name) })
  if (!('content' in content)) return { 'application/json': of(content as JsonSchema) }
  const types = Object.entries(content.content as Record<string, { schema: JsonSchema }>)
  return Object.fromEntries(types.map(([type, { schema }]) => [type, of(schema)]))
}

const withExample = (media: Record<string, object>, example: unknown) =>
  example === undefined
    ? media
    : Object.fromEntries(Object.entries(media).map(([type, own]) => [type, { ...own, example }]))

function parametersIn(
  place: 'path' | 'query' | 'header',
  schema: JsonSchema | undefined,
  components: Components,
) {
  const properties = (schema?.['properties'] ?? {}) as Record<string, JsonSchema>
  const required = (schema?.['required'] ?? []) as readonly string[]
  return Object.entries(properties).map(([name, checked]) => {
    const { description, ...shown } = components.describe(checked) as { description?: string }
    const isRequired = place === 'path' || required.includes(name)
    return {
      name,
      in: place,
      ...(description !== undefined && { description }),
      ...(isRequired && { required: true }),
      schema: shown,
    }
  })
}

const capitalised = (id: string) => id.charAt(0).toUpperCase() + id.slice(1)

const sortedByName = <T>(record: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)))

const only = (all: Record<string, object>, used: ReadonlySet<string>) =>
  Object.fromEntries(Object.entries(all).filter(([name]) => used.has(name)))
