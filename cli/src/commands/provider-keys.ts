import { environments } from '@switchroom/contract/scopes'
import type { BroughtKeys, Catalogue } from '@switchroom/contract/providers'
import { fileOption, type Argument, type Command, type Option } from '../invocation/command.ts'
import { path } from '../gateway/gateway-client.ts'
import { askSecret } from '../terminal/prompts.ts'

const vendorArgument: Argument = { name: 'vendor', summary: 'as svc provider-keys lists it' }
const onlyOption: Option = {
  name: 'only',
  value: 'env',
  choices: environments,
  summary: 'the key of this environment alone, instead of the one of both',
}
const stages = { llm: 'model', stt: 'ears', tts: 'voice' }

const list: Command = {
  name: 'provider-keys',
  summary: 'the vendors, and whose key each runs on; never the keys themselves',
  examples: ['svc provider-keys', 'svc provider-keys --json'],
  async run(invocation) {
    const client = await invocation.client()
    const answer = await client.get<Catalogue>('/v1/providers')
    invocation.answer(answer, ({ providers }) =>
      invocation.out.table(
        providers,
        [
          { title: 'vendor', isName: true, of: ({ name }) => name },
          { title: 'does', of: ({ does }) => does.map((stage) => stages[stage]).join(' ') },
          { title: 'key', of: ({ availability }) => availability },
          { title: 'ready', of: ({ ready }) => ready },
          { title: 'broken', of: ({ broken }) => broken },
        ],
        'No vendor is installed.',
      ),
    )
  },
}

const bring: Command = {
  name: 'provider-keys bring',
  summary: "run a vendor on a key of the org's own, from the next call on",
  details:
    'The key is asked for without being shown, or read from standard input. A vendor that wants several fields\ntakes them as JSON with --file.',
  arguments: [vendorArgument],
  options: [fileOption('{"field": "value"}, for a vendor that wants several'), onlyOption],
  examples: [
    'svc provider-keys bring openai',
    'secrets read openai | svc provider-keys bring openai',
    'svc provider-keys bring google --file fields.json',
    'svc provider-keys bring openai --only production',
  ],
  async run(invocation) {
    const client = await invocation.client()
    const vendor = invocation.argument('vendor')
    const file = invocation.option('file')
    const body =
      file === undefined
        ? { key: await askSecret(`Key of ${vendor}: `) }
        : { credentials: await invocation.jsonOf(file) }
    const env = invocation.option('only')
    const answer = await client.put<BroughtKeys>(path`/v1/provider-keys/${vendor}`, { ...body, env })
    invocation.answer(answer, () =>
      invocation.out.line(
        `${vendor} runs on the org's own key from the next call${env ? ` in ${env}` : ''}.`,
      ),
    )
  },
}

const forget: Command = {
  name: 'provider-keys forget',
  summary: "put a vendor back on the platform's key",
  arguments: [vendorArgument],
  options: [onlyOption],
  examples: ['svc provider-keys forget openai', 'svc provider-keys forget openai --only production'],
  async run(invocation) {
    const client = await invocation.client()
    const vendor = invocation.argument('vendor')
    const env = invocation.option('only')
    await client.delete(path`/v1/provider-keys/${vendor}`, { env })
    if (!invocation.isJson)
      invocation.out.line(
        env
          ? `${vendor} runs without a key of its own in ${env} now.`
          : `${vendor} runs without a key of the org's own now.`,
      )
  },
}

export const providerKeyCommands = [list, bring, forget]
