import type { CallSummary, Session, SessionPage } from '@switchroom/contract/sessions'
import type { Supervised, Verb } from '@switchroom/contract/supervising'
import { callStates, channels, verbs } from '../invocation/closed-sets.ts'
import { afterOption, agentOption, type Argument, type Command } from '../invocation/command.ts'
import { path } from '../gateway/gateway-client.ts'
import type { Invocation } from '../invocation/invocation.ts'
import type { Output } from '../terminal/output.ts'
import { plain } from '../terminal/text-width.ts'

const callArgument: Argument = { name: 'call', summary: "the call's id" }

const calls: Command = {
  name: 'calls',
  summary: 'calls, newest first',
  options: [
    agentOption,
    { name: 'state', value: 'state', choices: callStates, summary: 'only calls in this state' },
    { name: 'channel', value: 'channel', choices: channels, summary: 'only calls on this channel' },
    {
      name: 'search',
      value: 'text',
      summary: "a call's id, the first digits of a number, or words of a turn",
    },
    { name: 'limit', value: 'count', summary: '1 to 100 (default 50)' },
    afterOption,
  ],
  examples: ['svc calls', 'svc calls --agent hello --state open', 'svc calls --search +3491 --json'],
  async run(invocation) {
    const client = await invocation.client()
    const answer = await client.get<SessionPage>('/v1/sessions', {
      agent: invocation.option('agent'),
      state: invocation.option('state'),
      channel: invocation.option('channel'),
      q: invocation.option('search'),
      limit: invocation.option('limit'),
      after: invocation.option('after'),
    })
    invocation.page(answer, answer.sessions, columnsOf(invocation.out), 'No matching calls.')
  },
}

const columnsOf = (out: Output) => [
  { title: 'started', of: ({ started_at }: Session) => out.time(started_at) },
  { title: 'call', isName: true, of: ({ call }: Session) => call },
  { title: 'agent', isName: true, of: ({ agent }: Session) => agent },
  { title: 'channel', of: ({ channel }: Session) => channel },
  { title: 'state', of: ({ state, reason }: Session) => (reason === null ? state : `${state}: ${reason}`) },
  { title: 'seconds', of: ({ duration_s }: Session) => duration_s && Math.round(duration_s) },
  { title: 'turns', of: ({ turns }: Session) => turns },
  { title: 'errors', of: ({ errors }: Session) => errors || '' },
  { title: 'contact', isName: true, of: ({ contact }: Session) => contact },
]

const show: Command = {
  name: 'calls show',
  summary: 'show a call: transcript, tools, errors, usage',
  arguments: [callArgument],
  examples: ['svc calls show call_0123456789'],
  async run(invocation) {
    const client = await invocation.client()
    const answer = await client.get<CallSummary>(path`/v1/calls/${invocation.argument('call')}/state`)
    invocation.answer(answer, (summary) => tellOf(invocation.out, summary))
  },
}

function tellOf(out: Output, summary: CallSummary): void {
  const { call, agent, env, channel, direction, from, to, contact, state, reason, held_by } = summary
  const { started_at, ended_at, config_version } = summary
  out.fields({
    call,
    agent,
    environment: env,
    channel,
    direction,
    from,
    to,
    contact,
    state: reason === null ? state : `${state}: ${reason}`,
    'held by': held_by,
    started: out.time(started_at),
    ended: ended_at === null ? null : out.time(ended_at),
    version: config_version,
  })
  if (summary.turns.length > 0) out.line()
  for (const { who, text } of summary.turns) out.line(`${out.style('bold', who)}: ${plain(text)}`)
  for (const { name, ok } of summary.tools)
    out.line(`tool ${plain(name)}: ${ok === null ? 'not answered yet' : ok ? 'done' : 'failed'}`)
  for (const { code, detail } of summary.errors)
    out.line(out.style('red', `error ${code}: ${plain(detail ?? '')}`))
  for (const { stage, vendor, model, credits } of summary.usage)
    out.line(`used ${stage} of ${vendor}${model === null ? '' : ` ${model}`}: ${credits} credits`)
}

const deeds: Record<Verb, string> = {
  takeover: 'take over a call; the agent is silent until svc calls release',
  release: 'hand a call back to its agent',
  say: 'say something in a call',
  whisper: 'tell the agent something; the caller does not hear it',
  end: 'end a call',
}

const supervising = verbs.map((verb): Command => {
  const hasText = verb === 'say' || verb === 'whisper'
  const text = hasText ? ' "We are nearly there."' : ''
  return {
    name: `calls ${verb}`,
    summary: deeds[verb],
    arguments: [callArgument, ...(hasText ? [{ name: 'text', summary: 'the text' }] : [])],
    examples: [`svc calls ${verb} call_0123456789${text}`],
    run: (invocation) => supervise(invocation, verb),
  }
})

async function supervise(invocation: Invocation, verb: Verb): Promise<void> {
  const client = await invocation.client()
  const at = path`/v1/calls/${invocation.argument('call')}/verbs`
  const answer = await client.post<Supervised>(at, { verb, text: invocation.optional('text') })
  invocation.answer(answer, ({ call, state }) => invocation.out.line(`${call} is ${state}.`))
}

export const callCommands = [calls, show, ...supervising]
