import type { Entry } from '@switchroom/contract/log'

export type Speaker = 'contact' | 'agent' | 'supervisor'

export interface SaidTurn {
  kind: 'turn'
  seq: number
  ts: number
  who: Speaker
  text: string
  /** The member or key that wrote it, where a person did. */
  by: string | null
  wasInterrupted: boolean
}

export interface ToolRun {
  kind: 'tool'
  seq: number
  ts: number
  id: string
  name: string
  asked: string
  /** Null until it is answered. */
  ok: boolean | null
  answer: string
  tookS: number | null
}

export interface WentWrong {
  kind: 'error'
  seq: number
  ts: number
  code: string
  detail: string
}

export interface Happening {
  kind: 'note'
  seq: number
  ts: number
  text: string
}

export type Item = SaidTurn | ToolRun | WentWrong | Happening

/** A call's log as people read it: who said what, and what happened between. */
export function conversationOf(entries: readonly Entry[], nameOf: (by: string) => string): Item[] {
  const items: Item[] = []
  const tools = new Map<string, ToolRun>()
  const cutShort = new Set(
    entries.filter(({ type }) => type === 'bot.interrupted').map(({ data }) => textIn(data['messageId'])),
  )
  for (const { seq, ts, type, data } of entries) {
    const at = { seq, ts }
    if (type === 'user.message' || type === 'agent.message') {
      const wasInterrupted = type === 'agent.message' && cutShort.has(textIn(data['messageId']))
      items.push({ ...turnOf(at, type, data), wasInterrupted })
    } else if (type === 'llm.toolCall') {
      for (const asked of listIn(data['toolCalls'])) {
        const tool = toolOf(at, asked)
        tools.set(tool.id, tool)
        items.push(tool)
      }
    } else if (type === 'tool.result') {
      answerTool(tools.get(textIn(data['id'])), ts, data)
    } else if (type === 'error') {
      items.push({ kind: 'error', ...at, code: textIn(data['code']), detail: textIn(data['detail']) })
    } else {
      const text = notes.get(type)?.(data, nameOf)
      if (text) items.push({ kind: 'note', ...at, text })
    }
  }
  return items
}

const turnOf = (at: { seq: number; ts: number }, type: string, data: Entry['data']) => ({
  kind: 'turn' as const,
  ...at,
  who: speakerOf(type, data),
  text: textIn(data['text']),
  by: textIn(data['by']) || null,
})

function speakerOf(type: string, { source }: Entry['data']): Speaker {
  if (type === 'user.message') return 'contact'
  return source === 'human' ? 'supervisor' : 'agent'
}

const toolOf = (at: { seq: number; ts: number }, asked: Record<string, unknown>): ToolRun => ({
  kind: 'tool',
  ...at,
  id: textIn(asked['id']),
  name: textIn(asked['name']),
  asked: textIn(asked['arguments']),
  ok: null,
  answer: '',
  tookS: null,
})

/** The first answer counts. */
function answerTool(tool: ToolRun | undefined, ts: number, { ok, result }: Entry['data']) {
  if (!tool || tool.ok !== null) return
  tool.ok = ok === true
  tool.answer = typeof result === 'string' ? result : JSON.stringify(result ?? null)
  tool.tookS = Math.max(0, ts - tool.ts)
}

type Note = (data: Entry['data'], nameOf: (by: string) => string) => string

const by = (data: Entry['data'], nameOf: (by: string) => string) => nameOf(textIn(data['by']))
const orUnsaid = (value: unknown) => textIn(value) || 'unsaid'

const byType: Readonly<Record<string, Note>> = {
  'call.dialing': ({ to }) => `Dialling ${textIn(to)}`,
  'call.answered': () => 'Answered',
  'call.started': () => 'The call began',
  'chat.started': () => 'The chat began',
  'msgapp.started': () => 'The conversation began',
  'call.taken_over': (data, nameOf) => `${by(data, nameOf)} took the call over`,
  'call.released': (data, nameOf) => `${by(data, nameOf)} gave the call back to the agent`,
  'call.whispered': (data, nameOf) => `${by(data, nameOf)} whispered to the agent: ${textIn(data['text'])}`,
  'say.requested': (data, nameOf) => `${by(data, nameOf)} has the agent say: ${textIn(data['text'])}`,
  'callback.requested': ({ number, when }) =>
    `Wants to be called back at ${orUnsaid(number)}${textIn(when) && `, ${textIn(when)}`}`,
  'call.opt_out': () => 'Does not want to be called again',
  'call.transferred': ({ to, ok, why }) =>
    ok === false ? `Could not be sent on to ${textIn(to)}: ${orUnsaid(why)}` : `Sent on to ${textIn(to)}`,
  'call.routed': ({ agent }) => `Handed over to ${textIn(agent)}`,
  'call.route_failed': ({ agent, reason }) =>
    `Could not be handed over to ${textIn(agent)}: ${orUnsaid(reason)}`,
  'call.dtmf_received': ({ digit }) => `Pressed ${textIn(digit)}`,
  'call.dtmf_sent': ({ digits }) => `Tones sent: ${textIn(digits)}`,
  'call.preparingTimeout': ({ waitedMs }) => `The app did not prepare the turn within ${String(waitedMs)} ms`,
  'vendor.switched': ({ stage, vendor, state, serves }) =>
    state === 'back'
      ? `${textIn(vendor)} is back for ${stageName(textIn(stage))}`
      : `${textIn(vendor)} failed; ${textIn(serves)} serves ${stageName(textIn(stage))} now`,
  'session.idleWarning': ({ remainingSeconds }) => `Nobody speaks: it ends in ${String(remainingSeconds)} s`,
  'session.timeout': ({ reason }) => (reason === 'max_duration' ? 'Its time is over' : 'Nobody spoke'),
  'memory.ops': () => 'Something was noted about the contact',
  'call.ended': ({ reason, who }) =>
    `Ended: ${reasonName(textIn(reason))}${textIn(who) && `, by ${textIn(who)}`}`,
}
const notes = new Map(Object.entries(byType)) // a type may have any name, `constructor` too

const stageNames = new Map([
  ['stt', 'ears'],
  ['llm', 'model'],
  ['tts', 'voice'],
])
export const stageName = (stage: string) => stageNames.get(stage) ?? stage

const reasonNames = new Map([
  ['hangup', 'hung up'],
  ['timeout', 'timed out'],
  ['idle_timeout', 'nobody spoke'],
  ['max_duration', 'its time was over'],
  ['no_answer', 'no answer'],
  ['busy', 'busy'],
  ['failed', 'failed'],
  ['dial_failed', 'it could not be dialled'],
  ['routed', 'handed over'],
])
export const reasonName = (reason: string) => reasonNames.get(reason) ?? reason

export const textIn = (value: unknown) => (typeof value === 'string' ? value : '')
export const numberIn = (value: unknown) =>
  typeof value === 'number' && Number.isFinite(value) ? value : null
const listIn = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'object' && item !== null) : []
