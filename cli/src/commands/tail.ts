import type { LogEvent } from '@switchroom/sdk/log-request'
import { agentOption, type Command } from '../invocation/command.ts'
import { wrongUsage } from '../terminal/failures.ts'
import { path } from '../gateway/gateway-client.ts'
import type { Invocation } from '../invocation/invocation.ts'
import type { Output } from '../terminal/output.ts'
import { plain } from '../terminal/text-width.ts'

const tail: Command = {
  name: 'tail',
  summary: 'follow the log of a call, of an agent, or live events of the org',
  details:
    'After a lost connection svc reconnects and resumes after the last entry. A call is followed to its end,\nanything else until Ctrl-C. With --json each entry is one line.',
  arguments: [{ name: 'call', summary: "the call's id (default: live events of the org)", isOptional: true }],
  options: [
    { ...agentOption, summary: "without a call: the agent's own log" },
    { name: 'after', value: 'seq', summary: 'start after this entry (default 0)' },
    { name: 'live', summary: 'also show live-only events, such as words while they are spoken' },
  ],
  examples: ['svc tail call_0123456789', 'svc tail --agent hello', 'svc tail --json | jq .type'],
  async run(invocation) {
    const { out } = invocation
    const call = invocation.optional('call')
    const agent = invocation.option('agent')
    if (call !== undefined && agent !== undefined) throw wrongUsage('give either a call or --agent, not both')
    const client = await invocation.client()
    let isLost = false
    const log = client.follow(pathOf(call, agent), {
      after: invocation.number('after') ?? 0,
      hasEnd: call !== undefined,
      onLost(reason) {
        if (!isLost) out.note(`(no connection: ${reason}; reconnecting)`)
        isLost = true
      },
    })
    for await (const event of log) {
      if (isLost) out.note('(reconnected)')
      isLost = false
      show(invocation, event)
    }
  },
}

function pathOf(call: string | undefined, agent: string | undefined): string {
  if (call !== undefined) return path`/v1/calls/${call}/events`
  return agent === undefined ? '/v1/events' : path`/v1/agents/${agent}/events`
}

function show(invocation: Invocation, event: LogEvent): void {
  const { out } = invocation
  const { type, data } = event
  if (type === 'log.caught_up') return
  if (type === 'log.gap')
    return out.note(`(entries ${String(data['from'])} to ${String(data['to'])} were deleted)`)
  if (data['ephemeral'] === true && !invocation.flag('live')) return
  // A live event of the org has no type in its data.
  if (invocation.isJson) return out.jsonLine({ type, ...data })
  out.line(lineOf(out, event))
}

/** The relay sends the facts bare; a log's entries carry theirs in `data`. */
function lineOf(out: Output, { type, data }: LogEvent): string {
  const isEntry = typeof data['ts'] === 'number'
  const facts = (isEntry ? data['data'] : data) as Record<string, unknown>
  const at = isEntry ? clock(data['ts'] as number) : clock(Date.now() / 1000)
  const { call, agent, ...rest } = facts
  const owner = [call, agent].find((each) => typeof each === 'string' && each !== '') ?? ''
  const whose = isEntry ? '' : ` ${plain(owner as string)}`
  const style = type === 'error' ? 'red' : type.startsWith('call.') ? 'green' : 'cyan'
  return `${out.style('dim', at)}${whose} ${out.style(style, type)} ${wordsOf(isEntry ? facts : rest)}`.trimEnd()
}

const clock = (epochS: number) => new Date(epochS * 1000).toTimeString().slice(0, 8)

/** The main fields of an entry; without them, the whole JSON. */
function wordsOf(facts: Record<string, unknown>): string {
  const { text, name, code, detail, reason, number, to, why } = facts
  const outcome = why === undefined ? [] : [to, why]
  const told = [code, detail, name, number, reason, text, ...outcome].filter(
    (each) => typeof each === 'string',
  )
  if (told.length > 0) return plain(told.join(' '))
  return Object.keys(facts).length === 0 ? '' : plain(JSON.stringify(facts))
}

export const tailCommands = [tail]
