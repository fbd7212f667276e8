import { Type, type Static } from 'typebox'
import { endpointWires } from './endpoint-names.ts'
import { anyOf, nullable, oneOf, Timestamp } from './shapes.ts'

const name = Type.String({ description: 'lower-case letters, digits, - and _; agents name it custom/<name>' })
const base_url = Type.String({
  description:
    'such as https://llm.example.com/v1; of Azure the resource, https://<resource>.openai.azure.com',
})
const model = Type.String({ description: 'as the endpoint names it; of Azure the deployment' })
const wire = anyOf(endpointWires, 'chat completions or the Responses API')
const azure_api_version = nullable(
  Type.String({ description: "such as 2025-04-01-preview: asks in Azure's deployment form" }),
)

export const ModelEndpoint = Type.Object({
  name,
  llm: Type.String({ description: 'what an agent sets as `llm`' }),
  base_url,
  wire: oneOf(endpointWires),
  model,
  azure_api_version,
  keyed: Type.Boolean({ description: 'whether it is asked with a key' }),
  created_at: Timestamp,
  changed_at: Timestamp,
  tried_at: Type.String({ ...Timestamp, description: 'when it last answered a trial' }),
})
export type ModelEndpoint = Static<typeof ModelEndpoint>

export const EndpointList = Type.Object({ endpoints: Type.Array(ModelEndpoint) })
export type EndpointList = Static<typeof EndpointList>

export const CreateEndpoint = Type.Object({
  name,
  base_url,
  model,
  wire: Type.Optional(wire),
  azure_api_version: Type.Optional(azure_api_version),
  key: Type.Optional(nullable(Type.String({ description: 'write-only; without it no key is sent' }))),
})
export type CreateEndpoint = Static<typeof CreateEndpoint>

export const ChangeEndpoint = Type.Object({
  base_url: Type.Optional(base_url),
  model: Type.Optional(model),
  wire: Type.Optional(wire),
  azure_api_version: Type.Optional(azure_api_version),
  key: Type.Optional(
    nullable(Type.String({ description: 'write-only; null removes it; needed again at another host' })),
  ),
})
export type ChangeEndpoint = Static<typeof ChangeEndpoint>

export const TriedEndpoint = Type.Object({
  ...ModelEndpoint.properties,
  first_word_ms: Type.Integer({ description: 'from the request to the first word of the answer' }),
})
export type TriedEndpoint = Static<typeof TriedEndpoint>
