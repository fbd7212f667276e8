import { endpointWires } from '@switchroom/contract/endpoint-names'
import type { EndpointList, ModelEndpoint, TriedEndpoint } from '@switchroom/contract/model-endpoints'
import type { Argument, Command, Option } from '../invocation/command.ts'
import { path } from '../gateway/gateway-client.ts'
import type { Invocation } from '../invocation/invocation.ts'
import { wrongUsage } from '../terminal/failures.ts'
import { askSecret } from '../terminal/prompts.ts'

const nameArgument: Argument = { name: 'name', summary: 'an endpoint from svc endpoints' }

const urlOption: Option = { name: 'url', value: 'address', summary: 'the base URL, before /chat/completions' }
const options: readonly Option[] = [
  { name: 'model', value: 'name', summary: 'the model as the endpoint names it; of Azure the deployment' },
  { name: 'wire', value: 'kind', choices: endpointWires, summary: 'chat completions or the Responses API' },
  { name: 'azure-api-version', value: 'version', summary: "ask in Azure's deployment form" },
]
const keyDetails =
  'svc prompts for the key without showing it, or reads it from standard input. The gateway sends one request\nbefore it keeps anything; if the endpoint refuses, svc prints what it answered.'

const columns = [
  { title: 'llm', isName: true, of: ({ llm }: ModelEndpoint) => llm },
  { title: 'url', of: ({ base_url }: ModelEndpoint) => base_url },
  { title: 'model', of: ({ model }: ModelEndpoint) => model },
  { title: 'wire', of: ({ wire }: ModelEndpoint) => wire },
  { title: 'azure', of: ({ azure_api_version }: ModelEndpoint) => azure_api_version },
  { title: 'key', of: ({ keyed }: ModelEndpoint) => keyed },
]

const list: Command = {
  name: 'endpoints',
  summary: 'model endpoints of the org in this environment, without their keys',
  examples: ['svc endpoints', 'svc endpoints --env production --json'],
  async run(invocation) {
    const client = await invocation.client()
    const answer = await client.get<EndpointList>('/v1/model-endpoints')
    invocation.answer(answer, ({ endpoints }) =>
      invocation.out.table(endpoints, columns, 'No model endpoints. Create one with svc endpoints create.'),
    )
  },
}

const create: Command = {
  name: 'endpoints create',
  summary: 'create a model endpoint; agents use it as custom/<name>',
  details: keyDetails,
  arguments: [{ name: 'name', summary: 'lower-case letters, digits, - and _' }],
  options: [urlOption, ...options, { name: 'no-key', summary: 'the endpoint takes no key' }],
  examples: [
    'svc endpoints create llama --url https://llm.example.com/v1 --model llama-3.3-70b',
    'secrets read vllm | svc endpoints create llama --url https://llm.example.com/v1 --model llama-3.3-70b',
    'svc endpoints create desk --url https://acme.openai.azure.com --model desk-mini --azure-api-version 2025-04-01-preview',
    'svc endpoints create ollama --url https://ollama.example.com/v1 --model qwen3 --no-key',
  ],
  async run(invocation) {
    const client = await invocation.client()
    const name = invocation.argument('name')
    const body = {
      name,
      base_url: invocation.needed('url'),
      model: invocation.needed('model'),
      ...choicesIn(invocation),
      key: invocation.flag('no-key') ? null : await askSecret(`Key of ${name}: `),
    }
    const answer = await client.post<ModelEndpoint>('/v1/model-endpoints', body)
    invocation.answer(answer, ({ llm }) =>
      invocation.out.line(`Created. Use it with svc settings set <agent> llm=${llm}`),
    )
  },
}

const change: Command = {
  name: 'endpoints change',
  summary: 'change a model endpoint from the next call on',
  details: `Options that are not given keep their value. ${keyDetails}`,
  arguments: [nameArgument],
  options: [
    urlOption,
    ...options,
    { name: 'no-azure', summary: "no longer ask in Azure's deployment form" },
    { name: 'new-key', summary: 'replace the key; needed again for another host' },
    { name: 'no-key', summary: 'delete the key' },
  ],
  examples: [
    'svc endpoints change llama --model llama-4',
    'secrets read vllm | svc endpoints change llama --new-key',
  ],
  async run(invocation) {
    const client = await invocation.client()
    const name = invocation.argument('name')
    const [isReplaced, isDeleted] = [invocation.flag('new-key'), invocation.flag('no-key')]
    if (isReplaced && isDeleted) throw wrongUsage('give --new-key or --no-key, not both')
    const body = {
      base_url: invocation.option('url'),
      model: invocation.option('model'),
      ...choicesIn(invocation),
      ...(invocation.flag('no-azure') && { azure_api_version: null }),
      ...(isReplaced && { key: await askSecret(`Key of ${name}: `) }),
      ...(isDeleted && { key: null }),
    }
    const answer = await client.patch<ModelEndpoint>(path`/v1/model-endpoints/${name}`, body)
    invocation.answer(answer, ({ llm }) => invocation.out.line(`Changed ${llm}.`))
  },
}

const tryAgain: Command = {
  name: 'endpoints try',
  summary: 'ask a model endpoint for one word',
  details: 'The exit status is 1 if it does not answer; svc prints what it answered.',
  arguments: [nameArgument],
  examples: ['svc endpoints try llama'],
  async run(invocation) {
    const client = await invocation.client()
    const name = invocation.argument('name')
    const answer = await client.post<TriedEndpoint>(path`/v1/model-endpoints/${name}/try`)
    invocation.answer(answer, ({ llm, first_word_ms }) =>
      invocation.out.line(`${llm} answered after ${first_word_ms} ms.`),
    )
  },
}

const remove: Command = {
  name: 'endpoints delete',
  summary: 'delete a model endpoint that no agent uses',
  arguments: [nameArgument],
  examples: ['svc endpoints delete llama'],
  async run(invocation) {
    const client = await invocation.client()
    const name = invocation.argument('name')
    await client.delete(path`/v1/model-endpoints/${name}`)
    if (!invocation.isJson) invocation.out.line(`Deleted custom/${name}.`)
  },
}

const choicesIn = (invocation: Invocation) => ({
  wire: invocation.option('wire'),
  azure_api_version: invocation.option('azure-api-version'),
})

export const endpointCommands = [list, create, change, tryAgain, remove]
