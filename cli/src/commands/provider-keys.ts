import { environments } from '@switchroom/contract/scopes'
import type { BroughtKeys, Catalogue } from '@switchroom/contract/providers'
import { fileOption, type Argument, type Command, type Option } from '../invocation/command.ts'
import { path } from '../gateway/gateway-client.ts'
import { askSecret } from '../terminal/prompts.ts'

const vendorArgument: Argument = { name: 'vendor', summary: 'a vendor from svc provider-keys' }
const onlyOption: Option = {
  name: 'only',
  value: 'env',
  choices: environments,
  summary: 'only this environment instead of both',
}
const stages = { llm: 'model', stt: 'speech-to-text', tts: 'voice' }

const list: Command = {
  name: 'provider-keys',
  summary: 'vendors and which key each uses, without the keys',
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
        'No vendors are installed.',
      ),
    )
  },
}

const untriedOption: Option = { name: 'untried', summary: 'keep the key without asking the vendor' }

const bring: Command = {
  name: 'provider-keys bring',
  summary: "use the org's own key for a vendor, from the next call",
  details:
    'The vendor is asked for something small first, and a key that it refuses is not kept.\nsvc prompts for the key without showing it, or reads it from standard input. If a vendor has several\nfields, give them as JSON with --file.',
  arguments: [vendorArgument],
  options: [fileOption('{"field": "value"}, for a vendor with several fields'), onlyOption, untriedOption],
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
    const answer = await client.put<BroughtKeys>(path`/v1/provider-keys/${vendor}`, {
      ...body,
      env,
      try: !invocation.flag('untried'),
    })
    invocation.answer(answer, () => {
      invocation.out.line(`${vendor} uses the org's own key from the next call${env ? ` in ${env}` : ''}.`)
      if (answer.untried !== undefined) invocation.out.line(`${answer.untried}.`)
    })
  },
}

const forget: Command = {
  name: 'provider-keys forget',
  summary: "delete the org's own key for a vendor",
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
        env ? `Deleted the key for ${vendor} in ${env}.` : `Deleted the org's own key for ${vendor}.`,
      )
  },
}

export const providerKeyCommands = [list, bring, forget]
