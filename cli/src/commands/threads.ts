import type { TemplateList } from '@switchroom/contract/templates'
import type { ReadMark, ThreadList, WrittenToThread } from '@switchroom/contract/threads'
import { afterOption, agentArgument, type Argument, type Command } from '../invocation/command.ts'
import { Failure, wrongUsage } from '../terminal/failures.ts'
import { exitCodes } from '../terminal/exit-codes.ts'
import { path } from '../gateway/gateway-client.ts'
import { plain } from '../terminal/text-width.ts'

const contactArgument: Argument = { name: 'contact', summary: 'their number or their id on the platform' }

const list: Command = {
  name: 'threads list',
  summary: "an agent's contacts, newest first",
  details:
    'If there are more, the last line is the cursor for --after. With --json all are listed, unless --limit is set.',
  arguments: [agentArgument],
  options: [{ name: 'limit', value: 'count', summary: '1 to 100 (default 50)' }, afterOption],
  examples: ['svc threads list hello', 'svc threads list hello --limit 100 --after <cursor> --json'],
  async run(invocation) {
    const { out } = invocation
    const client = await invocation.client()
    const at = path`/v1/agents/${invocation.argument('agent')}/threads`
    const { next = null, ...answer } = await client.get<ThreadList>(at, {
      turns: invocation.isJson ? undefined : 1,
      limit: invocation.option('limit') ?? (invocation.isJson ? undefined : 50),
      after: invocation.option('after'),
    })
    invocation.page(
      { ...answer, next },
      answer.threads,
      [
        { title: 'last', of: ({ last_at }) => out.time(last_at) },
        { title: 'contact', isName: true, of: ({ contact }) => contact },
        { title: 'name', of: ({ name }) => name },
        { title: 'state', of: ({ state }) => state },
        { title: 'unread', of: ({ unread }) => unread || '' },
        { title: 'reply until', of: ({ window_closes_at }) => out.time(window_closes_at) },
        { title: 'last message', of: ({ turns, waiting }) => (waiting.at(-1) ?? turns.at(-1))?.text },
      ],
      'No conversations yet.',
    )
  },
}

const show: Command = {
  name: 'threads show',
  summary: 'the whole conversation with a contact',
  arguments: [agentArgument, contactArgument],
  options: [{ name: 'turns', value: 'count', summary: 'how many turns, 0 to 200' }],
  examples: ['svc threads show hello +34911234567 --turns 20'],
  async run(invocation) {
    const { out } = invocation
    const client = await invocation.client()
    const contact = invocation.argument('contact')
    const answer = await client.get<ThreadList>(path`/v1/agents/${invocation.argument('agent')}/threads`, {
      contact,
      turns: invocation.option('turns'),
    })
    const [thread] = answer.threads
    if (!thread)
      throw new Failure(
        exitCodes.refused,
        `no conversation with ${contact}: svc threads list shows the contacts`,
      )
    invocation.answer(answer, () => {
      for (const { ts, who, text, delivery } of thread.turns) {
        out.line(`${out.style('dim', out.time(ts))} ${out.style('bold', `${who}:`)} ${plain(text)}`)
        if (delivery?.status === 'failed') out.line(`  not delivered: ${plain(delivery.detail ?? '')}`)
      }
      for (const { ts, text } of thread.waiting)
        out.line(`${out.style('dim', out.time(ts))} ${out.style('bold', 'waiting:')} ${plain(text)}`)
      const { state, window_closes_at } = thread
      const until = window_closes_at === null ? '' : `; you can reply until ${out.time(window_closes_at)}`
      out.note(`The conversation is ${state}${until}.`)
    })
  },
}

const write: Command = {
  name: 'threads write',
  summary: 'write to a contact as the agent, within 24 hours of their last message',
  arguments: [agentArgument, contactArgument, { name: 'text', summary: 'the text' }],
  examples: ['svc threads write hello +34911234567 "Your table is booked."'],
  async run(invocation) {
    const client = await invocation.client()
    const [agent, contact] = [invocation.argument('agent'), invocation.argument('contact')]
    const at = path`/v1/agents/${agent}/threads/${contact}/messages`
    const answer = await client.post<WrittenToThread>(at, { text: invocation.argument('text') })
    invocation.answer(answer, ({ call }) => invocation.out.line(`Queued in ${call}.`))
  },
}

const read: Command = {
  name: 'threads read',
  summary: 'mark a conversation as read',
  arguments: [agentArgument, contactArgument],
  examples: ['svc threads read hello +34911234567'],
  async run(invocation) {
    const client = await invocation.client()
    const [agent, contact] = [invocation.argument('agent'), invocation.argument('contact')]
    const answer = await client.put<ReadMark>(path`/v1/agents/${agent}/threads/${contact}/read`, {})
    invocation.answer(answer, ({ read_at }) =>
      invocation.out.line(`Read up to ${invocation.out.time(read_at)}.`),
    )
  },
}

const templates: Command = {
  name: 'threads templates',
  summary: "the approved message templates of an agent's number",
  arguments: [agentArgument],
  options: [{ name: 'number', value: 'number', summary: 'of this number, if the agent has several' }],
  examples: ['svc threads templates hello'],
  async run(invocation) {
    const { out } = invocation
    const client = await invocation.client()
    const at = path`/v1/agents/${invocation.argument('agent')}/templates`
    const answer = await client.get<TemplateList>(at, { number: invocation.option('number') })
    invocation.answer(answer, (found) =>
      out.table(
        found.templates,
        [
          { title: 'name', isName: true, of: ({ name }) => name },
          { title: 'language', of: ({ language }) => language },
          { title: 'category', of: ({ category }) => category },
          { title: 'variables', of: ({ variables }) => variables.map(({ name }) => name).join(', ') },
          { title: 'text', of: ({ body, unsupported }) => (unsupported ? `(${unsupported})` : body) },
        ],
        'No approved templates.',
      ),
    )
  },
}

const template: Command = {
  name: 'threads template',
  summary: 'send a contact an approved template as the agent, at any time',
  arguments: [
    agentArgument,
    contactArgument,
    { name: 'name', summary: 'of the template' },
    { name: 'variable=value', summary: 'each of its variables', isOptional: true, isRepeated: true },
  ],
  options: [
    { name: 'language', value: 'code', summary: 'if it is approved in several' },
    { name: 'number', value: 'number', summary: 'to send from, if the agent has several' },
  ],
  examples: ['svc threads template hello +34911234567 reminder 1=Ana 2="noon" --language en_US'],
  async run(invocation) {
    const client = await invocation.client()
    const [agent, contact] = [invocation.argument('agent'), invocation.argument('contact')]
    const answer = await client.post<WrittenToThread>(
      path`/v1/agents/${agent}/threads/${contact}/templates`,
      {
        name: invocation.argument('name'),
        language: invocation.option('language'),
        number: invocation.option('number'),
        variables: Object.fromEntries(invocation.rest('variable=value').map(variableIn)),
      },
    )
    invocation.answer(answer, ({ call }) => invocation.out.line(`Queued in ${call}.`))
  },
}

function variableIn(word: string): [name: string, value: string] {
  const [, name, value] = /^([\w.]+)=(.*)$/s.exec(word) ?? []
  if (name === undefined || value === undefined)
    throw wrongUsage(`${word} is not a variable: write it as 1=Ana; svc threads templates lists them`)
  return [name, value]
}

export const threadCommands = [list, show, write, templates, template, read]
