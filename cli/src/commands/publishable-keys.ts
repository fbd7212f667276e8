import type { PublishableKey, PublishableKeyList } from '@switchroom/contract/publishable-keys'
import type { Command } from '../invocation/command.ts'
import { path } from '../gateway/gateway-client.ts'

const list: Command = {
  name: 'publishable-keys',
  summary: 'keys of the org that stand in web pages',
  options: [{ name: 'all', summary: 'also show revoked keys' }],
  examples: ['svc publishable-keys', 'svc publishable-keys --all --json'],
  async run(invocation) {
    const { out } = invocation
    const client = await invocation.client()
    const answer = await client.get<PublishableKeyList>('/v1/publishable-keys')
    invocation.answer(answer, ({ publishable_keys }) =>
      out.table(
        publishable_keys.filter(({ revoked_at }) => revoked_at === null || invocation.flag('all')),
        [
          { title: 'id', isName: true, of: ({ id }) => id },
          { title: 'label', of: ({ label }) => label },
          { title: 'agent', of: ({ agent }) => agent },
          { title: 'environment', of: ({ env }) => env },
          { title: 'origins', of: ({ origins }) => origins.join(' ') },
          { title: 'a visitor', of: ({ visitor_per_hour }) => `${visitor_per_hour} an hour` },
          { title: 'all', of: ({ per_minute }) => `${per_minute} a minute` },
          { title: 'state', of: ({ revoked_at }) => (revoked_at === null ? 'live' : 'revoked') },
          { title: 'key', of: ({ key }) => key },
        ],
        'No publishable keys. Create one with svc publishable-keys create.',
      ),
    )
  },
}

const create: Command = {
  name: 'publishable-keys create',
  summary: 'create a key for web pages in the environment of --env',
  details:
    'The key is no secret: it opens calls with one agent, from pages of the origins, at a pace. It is the only\nthing on standard output.',
  arguments: [{ name: 'label', summary: 'which page it is for' }],
  options: [
    { name: 'agent', value: 'name', summary: 'the agent that it opens' },
    { name: 'origin', value: 'origin', isRepeated: true, summary: 'a page, such as https://shop.example' },
    { name: 'visitor-per-hour', value: 'number', summary: 'calls of one visitor in an hour (default: 20)' },
    { name: 'per-minute', value: 'number', summary: 'calls of all visitors in a minute (default: 60)' },
  ],
  examples: [
    'svc publishable-keys create shop --agent hello --origin https://shop.example',
    'svc publishable-keys create shop --agent hello --origin https://shop.example --visitor-per-hour 5 --env production',
  ],
  async run(invocation) {
    const { out } = invocation
    const body = {
      label: invocation.argument('label'),
      agent: invocation.needed('agent'),
      env: invocation.account.env ?? 'sandbox',
      origins: invocation.list('origin') ?? [],
      visitor_per_hour: invocation.number('visitor-per-hour'),
      per_minute: invocation.number('per-minute'),
    }
    const client = await invocation.client()
    const answer = await client.post<PublishableKey>('/v1/publishable-keys', body)
    invocation.answer(answer, ({ key, id, agent, env, origins }) => {
      out.note(`${id} opens ${agent} in the ${env} environment from pages of ${origins.join(', ')}.`)
      out.line(key)
    })
  },
}

const revoke: Command = {
  name: 'publishable-keys revoke',
  summary: 'revoke a key: pages that hold it open nothing more',
  arguments: [{ name: 'id', summary: 'an id from svc publishable-keys' }],
  examples: ['svc publishable-keys revoke pub_0a1b2c3d4e5f6a7b'],
  async run(invocation) {
    const client = await invocation.client()
    const id = invocation.argument('id')
    const answer = await client.post<PublishableKey>(path`/v1/publishable-keys/${id}/revoke`)
    invocation.answer(answer, ({ label }) => invocation.out.line(`Revoked ${label}.`))
  },
}

export const publishableKeyCommands: readonly Command[] = [list, create, revoke]
