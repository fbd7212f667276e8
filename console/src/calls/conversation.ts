import type { Entry } from '@switchroom/contract/log'

export type Speaker = 'contact' | 'agent' | 'supervisor'

export interface SaidTurn {
  kind: 'turn'
  seq: number
  ts: number
  who: Speaker
  text: string
  /** The member or key of a supervisor. */
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
  /** Null until the result is there. */
  ok: boolean | null
  answer: string
  tookS: number | null
}

export interface LoggedError {
  kind: 'error'
  seq: number
  ts: number
  code: string
  detail: string
}

export interface LookUp {
  kind: 'lookup'
  seq: number
  ts: number
  base: string
  query: string
  passages: readonly { name: string; heading: readonly string[]; score: number }[]
  bestScore: number | null
  tookMs: number
  /** The turn went on without it. */
  isLate: boolean
  error: string
  /** Who looked: before the turn, the model, or the app. */
  mode: string
}

export interface LogNote {
  kind: 'note'
  seq: number
  ts: number
  text: string
}

export type Item = SaidTurn | ToolRun | LoggedError | LookUp | LogNote

/** A call's log as a transcript with tool calls, errors and notes. */
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
    } else if (type === 'knowledge.found') {
      items.push(lookUpOf(at, data))
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

const lookUpOf = (at: { seq: number; ts: number }, data: Entry['data']): LookUp => ({
  kind: 'lookup',
  ...at,
  base: textIn(data['base']),
  query: textIn(data['query']),
  passages: listIn(data['passages']).map((passage) => ({
    name: textIn(passage['name']),
    heading: Array.isArray(passage['heading']) ? passage['heading'].map(String) : [],
    score: numberIn(passage['score']) ?? 0,
  })),
  bestScore: numberIn(data['best_score']),
  tookMs: numberIn(data['ms']) ?? 0,
  isLate: data['late'] === true,
  error: textIn(data['error']),
  mode: textIn(data['mode']),
})

/** The first result counts. */
function answerTool(tool: ToolRun | undefined, ts: number, { ok, result }: Entry['data']) {
  if (!tool || tool.ok !== null) return
  tool.ok = ok === true
  tool.answer = typeof result === 'string' ? result : JSON.stringify(result ?? null)
  tool.tookS = Math.max(0, ts - tool.ts)
}

type Note = (data: Entry['data'], nameOf: (by: string) => string) => string

const by = (data: Entry['data'], nameOf: (by: string) => string) => nameOf(textIn(data['by']))
const wayName = (way: unknown) => (way === 'sent' ? 'to the caller' : 'from the caller')
const orUnknown = (value: unknown) => textIn(value) || 'unknown'

const answeredBy: Readonly<Record<string, string>> = {
  person: 'A person answered',
  machine: 'A machine answered',
  voicemail: 'A voicemail answered',
  fax: 'A fax machine answered',
  screening: 'A call screening service answered',
  unknown: 'Unclear whether a person answered',
}

const byType: Readonly<Record<string, Note>> = {
  'call.dialing': ({ to }) => `Dialing ${textIn(to)}`,
  'call.answered': () => 'Answered',
  'call.answered_by': ({ by: who, kind }) => answeredBy[textIn(kind) || textIn(who)] ?? 'Answered',
  'call.started': () => 'Call started',
  'chat.started': () => 'Chat started',
  'msgapp.started': () => 'Conversation started',
  'call.taken_over': (data, nameOf) => `${by(data, nameOf)} took over the call`,
  'call.released': (data, nameOf) => `${by(data, nameOf)} returned the call to the agent`,
  'call.whispered': (data, nameOf) => `${by(data, nameOf)} whispered to the agent: ${textIn(data['text'])}`,
  'say.requested': (data, nameOf) => `${by(data, nameOf)} made the agent say:  ${textIn(data['text'])}`,
  'reconnect.requested': () => 'The browser changed its network',
  'hangup.requested': () => 'The page hung up',
  'callback.requested': ({ number, when }) =>
    `Callback requested: ${orUnknown(number)}${textIn(when) && `, ${textIn(when)}`}`,
  'call.opt_out': () => 'Opted out of calls',
  'call.transferred': ({ to, ok, why }) =>
    ok === false ? `Transfer to ${textIn(to)} failed: ${orUnknown(why)}` : `Transferred to ${textIn(to)}`,
  'call.routed': ({ agent }) => `Handed over to ${textIn(agent)}`,
  'call.route_failed': ({ agent, reason }) => `Handover to ${textIn(agent)} failed: ${orUnknown(reason)}`,
  'call.dtmf_received': ({ digit }) => `Pressed ${textIn(digit)}`,
  'call.dtmf_sent': ({ digits }) => `DTMF sent:  ${textIn(digits)}`,
  'call.preparingTimeout': ({ waitedMs }) => `The app did not prepare the turn within ${String(waitedMs)} ms`,
  'vendor.switched': ({ stage, vendor, state, serves }) =>
    state === 'back'
      ? `${stageName(textIn(stage))} runs on ${textIn(vendor)} again`
      : `${textIn(vendor)} failed. ${stageName(textIn(stage))} runs on ${textIn(serves)} now`,
  'session.idleWarning': ({ remainingSeconds }) =>
    `No speech: the call ends in ${String(remainingSeconds)} s`,
  'session.timeout': ({ reason, held_s }) => {
    if (reason === 'max_duration') return 'Maximum duration reached'
    const heldS = numberIn(held_s)
    return heldS === null ? 'No speech' : `On hold for ${heldS} s: the call ends`
  },
  'call.on_hold': () => 'The other side put the call on hold',
  'call.off_hold': ({ after_s }) => `Off hold after ${String(after_s)} s`,
  'call.line_warning': ({ way, mos, loss_percent }) =>
    `Bad phone line ${wayName(way)}: MOS ${String(mos)}, ${String(loss_percent)} % lost`,
  'call.line_recovered': ({ way }) => `Phone line ${wayName(way)} is good again`,
  'memory.ops': () => 'Memory of the contact updated',
  'call.ended': ({ reason, who, why }) =>
    `Ended: ${textIn(why) || reasonName(textIn(reason))}${textIn(who) && `, by ${textIn(who)}`}`,
}
const notes = new Map(Object.entries(byType)) // a type may have any name, `constructor` too

const stageNames = new Map([
  ['stt', 'Speech-to-text'],
  ['llm', 'Model'],
  ['tts', 'Text-to-speech'],
])
export const stageName = (stage: string) => stageNames.get(stage) ?? stage

const reasonNames = new Map([
  ['hangup', 'hung up'],
  ['timeout', 'timed out'],
  ['idle_timeout', 'no speech'],
  ['max_duration', 'maximum duration reached'],
  ['no_answer', 'no answer'],
  ['busy', 'busy'],
  ['failed', 'failed'],
  ['dial_failed', 'could not be dialed'],
  ['routed', 'handed over'],
  ['worker_lost', 'the worker was lost'],
  ['quota', 'quota used up'],
])
const errorNames = new Map([
  ['llm_failed', 'Model failed'],
  ['llm_timeout', 'Model too late'],
  ['stt_failed', 'Speech-to-text failed'],
  ['tts_failed', 'Text-to-speech failed'],
  ['tool_failed', 'Tool failed'],
  ['quota', 'Quota used up'],
  ['worker_lost', 'Worker lost'],
])
export const errorName = (code: string) => errorNames.get(code) ?? code

export const reasonName = (reason: string) => reasonNames.get(reason) ?? reason

/** How the call ended: in the words of the log, if it has some. */
export const endOf = (entries: readonly Entry[], reason: string) =>
  textIn(entries.findLast(({ type }) => type === 'call.ended')?.data['why']) || reasonName(reason)

export const textIn = (value: unknown) => (typeof value === 'string' ? value : '')
export const numberIn = (value: unknown) =>
  typeof value === 'number' && Number.isFinite(value) ? value : null
const listIn = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'object' && item !== null) : []
