import type { BroughtKeys, Catalogue } from '@switchroom/contract/providers'
import { fileOption, type Argument, type Command } from '../command.ts'
import { path } from '../gateway-client.ts'
import { askSecret } from '../prompts.ts'

const vendorArgument: Argument = { name: 'vendor', summary: 'as svc provider-keys lists it' }
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
  options: [fileOption('{"field": "value"}, for a vendor that wants several')],
  examples: [
    'svc provider-keys bring openai',
    'secrets read openai | svc provider-keys bring openai',
    'svc provider-keys bring google --file fields.json',
  ],
  async run(invocation) {
    const client = await invocation.client()
    const vendor = invocation.argument('vendor')
    const file = invocation.option('file')
    const body =
      file === undefined
        ? { key: await askSecret(`Key of ${vendor}: `) }
        : { credentials: await invocation.jsonOf(file) }
    const answer = await client.put<BroughtKeys>(path`/v1/provider-keys/${vendor}`, body)
    invocation.answer(answer, () =>
      invocation.out.line(`${vendor} runs on the org's own key from the next call.`),
    )
  },
}

const forget: Command = {
  name: 'provider-keys forget',
  summary: "put a vendor back on the platform's key",
  arguments: [vendorArgument],
  examples: ['svc provider-keys forget openai'],
  async run(invocation) {
    const client = await invocation.client()
    const vendor = invocation.argument('vendor')
    await client.delete(path`/v1/provider-keys/${vendor}`)
    if (!invocation.isJson) invocation.out.line(`${vendor} runs without a key of the org's own now.`)
  },
}

export const providerKeyCommands = [list, bring, forget]
