import { deliveryStates } from '@switchroom/contract/webhook-names'
import type {
  CreatedWebhook,
  Delivery,
  DeliveryDetail,
  DeliveryPage,
  Redelivered,
  TestedWebhook,
  Webhook,
  WebhookEventList,
  WebhookList,
} from '@switchroom/contract/webhooks'
import { path } from '../gateway/gateway-client.ts'
import type { Argument, Command, Option } from '../invocation/command.ts'
import type { Invocation } from '../invocation/invocation.ts'

const idArgument: Argument = { name: 'id', summary: 'a webhook from svc webhooks' }
const eventArgument: Argument = { name: 'event', summary: 'an event from svc webhooks deliveries' }
const options: readonly Option[] = [
  { name: 'description', value: 'text', summary: 'what it is for' },
  { name: 'types', value: 'list', summary: 'such as call.ended,message.*, or all' },
  { name: 'agents', value: 'list', summary: 'events of these agents alone, or all' },
]
const limitOption: Option = { name: 'limit', value: 'n', summary: 'how many, 1 to 100; default 50' }

const columns = [
  { title: 'id', isName: true, of: ({ id }: Webhook) => id },
  { title: 'url', of: ({ url }: Webhook) => url },
  { title: 'state', of: ({ state }: Webhook) => state },
  { title: 'types', of: ({ types }: Webhook) => types?.join(',') ?? 'all' },
  { title: 'agents', of: ({ agents }: Webhook) => agents?.join(',') ?? 'all' },
  { title: 'delivered', of: ({ delivered_at }: Webhook) => delivered_at },
]

const deliveryColumns = [
  { title: 'event', isName: true, of: ({ event }: Delivery) => event },
  { title: 'type', of: ({ type }: Delivery) => type },
  { title: 'state', of: ({ state }: Delivery) => state },
  { title: 'attempts', of: ({ attempts }: Delivery) => attempts },
  { title: 'answer', of: ({ status, error }: Delivery) => status ?? error },
  { title: 'call', of: ({ call }: Delivery) => call },
  { title: 'created', of: ({ created_at }: Delivery) => created_at },
]

const list: Command = {
  name: 'webhooks',
  summary: 'webhooks of the org in this environment, without their secrets',
  examples: ['svc webhooks', 'svc webhooks --env production --json'],
  async run(invocation) {
    const client = await invocation.client()
    const answer = await client.get<WebhookList>('/v1/webhooks')
    invocation.answer(answer, ({ webhooks }) =>
      invocation.out.table(webhooks, columns, 'No webhooks. Create one with svc webhooks create.'),
    )
  },
}

const create: Command = {
  name: 'webhooks create',
  summary: 'send events to an address; prints the signing secret once',
  arguments: [{ name: 'url', summary: 'where events are posted, over https' }],
  options,
  examples: [
    'svc webhooks create https://example.com/hooks',
    'svc webhooks create https://example.com/hooks --types call.ended,callback.requested --agents desk',
  ],
  async run(invocation) {
    const client = await invocation.client()
    const body = { url: invocation.argument('url'), ...choicesIn(invocation) }
    const answer = await client.post<CreatedWebhook>('/v1/webhooks', body)
    invocation.answer(answer, ({ id, secret }) => {
      invocation.out.line(`Created ${id}. Its signing secret, which is not shown again:`)
      invocation.out.line(secret)
    })
  },
}

const change: Command = {
  name: 'webhooks change',
  summary: 'change where a webhook leads, or what is sent to it',
  details: 'Options that are not given keep their value.',
  arguments: [idArgument],
  options: [{ name: 'url', value: 'address', summary: 'where events are posted' }, ...options],
  examples: ['svc webhooks change whk_0123456789abcdef --types all'],
  async run(invocation) {
    await changed(invocation, { url: invocation.option('url'), ...choicesIn(invocation) }, 'Changed')
  },
}

const pause: Command = {
  name: 'webhooks pause',
  summary: 'send nothing for now; events wait for three days at most',
  arguments: [idArgument],
  examples: ['svc webhooks pause whk_0123456789abcdef'],
  run: (invocation) => changed(invocation, { paused: true }, 'Paused'),
}

const resume: Command = {
  name: 'webhooks resume',
  summary: 'send what waits, and what comes',
  arguments: [idArgument],
  examples: ['svc webhooks resume whk_0123456789abcdef'],
  run: (invocation) => changed(invocation, { paused: false }, 'Resumed'),
}

const rotate: Command = {
  name: 'webhooks rotate',
  summary: 'print a new signing secret; the older ones sign too for a while',
  arguments: [idArgument],
  options: [{ name: 'older-for', value: 'seconds', summary: 'how long; default 86400, a day' }],
  examples: ['svc webhooks rotate whk_0123456789abcdef --older-for 3600'],
  async run(invocation) {
    const client = await invocation.client()
    const older = invocation.option('older-for')
    const body = older === undefined ? {} : { older_for_s: Number(older) }
    const at = path`/v1/webhooks/${invocation.argument('id')}/rotate`
    const answer = await client.post<CreatedWebhook>(at, body)
    invocation.answer(answer, ({ secret, older_secret_until: until }) => {
      invocation.out.line(
        until === null ? 'No older secret signs.' : `The older secret signs until ${until}.`,
      )
      invocation.out.line(secret)
    })
  },
}

const test: Command = {
  name: 'webhooks test',
  summary: 'send a test event',
  arguments: [idArgument],
  examples: ['svc webhooks test whk_0123456789abcdef'],
  async run(invocation) {
    const client = await invocation.client()
    const id = invocation.argument('id')
    const answer = await client.post<TestedWebhook>(path`/v1/webhooks/${id}/test`)
    invocation.answer(answer, ({ event }) =>
      invocation.out.line(`${event} is sent within seconds: svc webhooks delivery ${id} ${event}`),
    )
  },
}

const deliveries: Command = {
  name: 'webhooks deliveries',
  summary: 'what was and is to be sent in the last seven days, newest first',
  arguments: [idArgument],
  options: [
    { name: 'state', value: 'state', choices: deliveryStates, summary: 'only these' },
    { name: 'call', value: 'call', summary: 'of one call' },
    limitOption,
  ],
  examples: ['svc webhooks deliveries whk_0123456789abcdef --state failed'],
  async run(invocation) {
    const client = await invocation.client()
    const query = {
      state: invocation.option('state'),
      call: invocation.option('call'),
      limit: invocation.option('limit'),
    }
    const asked = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined)
    const at = path`/v1/webhooks/${invocation.argument('id')}/deliveries`
    const answer = await client.get<DeliveryPage>(`${at}?${new URLSearchParams(asked).toString()}`)
    invocation.answer(answer, ({ deliveries: rows }) =>
      invocation.out.table(rows, deliveryColumns, 'No deliveries.'),
    )
  },
}

const delivery: Command = {
  name: 'webhooks delivery',
  summary: 'one delivery: its request and every answer',
  arguments: [idArgument, eventArgument],
  examples: ['svc webhooks delivery whk_0123456789abcdef evt_0123456789abcdef0123456789abcdef'],
  async run(invocation) {
    const client = await invocation.client()
    const at = path`/v1/webhooks/${invocation.argument('id')}/deliveries/${invocation.argument('event')}`
    const answer = await client.get<DeliveryDetail>(at)
    invocation.answer(answer, ({ type, state, body, tries }) => {
      invocation.out.line(`${type}: ${state}`)
      for (const { at: when, status, error, answer: said, duration_ms } of tries)
        invocation.out.line(`${when}  ${status ?? '-'}  ${duration_ms} ms  ${error ?? said ?? ''}`)
      if (body !== null) invocation.out.line(body)
    })
  },
}

const redeliver: Command = {
  name: 'webhooks redeliver',
  summary: 'send one event again, or without an event all that were given up',
  details: 'An event that is sent again has the same webhook-id.',
  arguments: [idArgument, { ...eventArgument, isOptional: true }],
  options: [{ name: 'since', value: 'time', summary: 'without an event: given up from then on' }],
  examples: [
    'svc webhooks redeliver whk_0123456789abcdef evt_0123456789abcdef0123456789abcdef',
    'svc webhooks redeliver whk_0123456789abcdef --since 2026-01-31T09:00:00Z',
  ],
  async run(invocation) {
    const client = await invocation.client()
    const id = invocation.argument('id')
    const event = invocation.optional('event')
    if (event !== undefined) {
      const one = await client.post<DeliveryDetail>(path`/v1/webhooks/${id}/deliveries/${event}/redeliver`)
      return invocation.answer(one, () => invocation.out.line(`${event} is sent again.`))
    }
    const body = { since: invocation.option('since') }
    const answer = await client.post<Redelivered>(path`/v1/webhooks/${id}/redeliver`, body)
    invocation.answer(answer, ({ deliveries: count }) =>
      invocation.out.line(`${count} ${count === 1 ? 'event is' : 'events are'} sent again.`),
    )
  },
}

const events: Command = {
  name: 'webhooks events',
  summary: 'every event type; with --json also the schema of its data',
  examples: ['svc webhooks events'],
  async run(invocation) {
    const client = await invocation.client()
    const answer = await client.get<WebhookEventList>('/v1/webhooks/event-types')
    invocation.answer(answer, ({ types }) =>
      invocation.out.table(
        types,
        [
          { title: 'type', isName: true, of: ({ type }) => type },
          { title: 'tells', of: ({ summary }) => summary },
        ],
        'No event types.',
      ),
    )
  },
}

const remove: Command = {
  name: 'webhooks delete',
  summary: 'delete a webhook, with what was still to be sent to it',
  arguments: [idArgument],
  examples: ['svc webhooks delete whk_0123456789abcdef'],
  async run(invocation) {
    const client = await invocation.client()
    const id = invocation.argument('id')
    await client.delete(path`/v1/webhooks/${id}`)
    if (!invocation.isJson) invocation.out.line(`Deleted ${id}.`)
  },
}

async function changed(invocation: Invocation, body: object, done: string) {
  const client = await invocation.client()
  const id = invocation.argument('id')
  const answer = await client.patch<Webhook>(path`/v1/webhooks/${id}`, body)
  invocation.answer(answer, () => invocation.out.line(`${done} ${id}.`))
}

const choicesIn = (invocation: Invocation) => ({
  description: invocation.option('description'),
  types: listIn(invocation.option('types')),
  agents: listIn(invocation.option('agents')),
})

/** Null is every one. */
const listIn = (typed: string | undefined) =>
  typed === undefined ? undefined : typed === 'all' ? null : typed.split(',').map((item) => item.trim())

export const webhookCommands = [
  list,
  create,
  change,
  pause,
  resume,
  rotate,
  test,
  deliveries,
  delivery,
  redeliver,
  events,
  remove,
]
