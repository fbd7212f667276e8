import type { Entry } from '@switchroom/contract/log'
import { counted } from '../ui/quantities.ts'
import { numberIn, stageName, textIn } from './conversation.ts'

/** The work of one stage, in milliseconds from the start of its exchange. */
export interface Span {
  name: string
  stage: string
  detail: string
  fromMs: number
  toMs: number
  /** When its first output arrived. */
  firstMs: number | null
}

/** From the end of the caller's turn to the answer. */
export interface Exchange {
  /** The agent's turn, else the entry that started the exchange. */
  seq: number
  totalMs: number
  spans: Span[]
}

interface Begun {
  seq: number
  ts: number
  answer: number | null
  /** In epoch milliseconds. */
  worked: Span[]
  tools: Span[]
  /** The latency marks of a spoken turn, from the end of the caller's speech. */
  marks: Entry['data'] | null
}

/** The latency of each stage, per exchange. */
export function exchangesOf(entries: readonly Entry[]): Exchange[] {
  const begun: Begun[] = []
  const answers = new Map<string, Begun>()
  const asked = new Map<string, { name: string; ts: number }>()
  const current = ({ seq, ts }: Entry): Begun => {
    const last = begun.at(-1)
    if (last) return last
    const opening = { seq, ts, answer: null, worked: [], tools: [], marks: null }
    begun.push(opening)
    return opening
  }
  const readers: Record<string, (entry: Entry) => void> = {
    'user.message': ({ seq, ts }) =>
      begun.push({ seq, ts, answer: null, worked: [], tools: [], marks: null }),
    'agent.message'(entry) {
      if (entry.data['source'] === 'human') return
      const exchange = current(entry)
      exchange.answer ??= entry.seq
      answers.set(textIn(entry.data['messageId']), exchange)
    },
    metrics(entry) {
      const answered = answers.get(textIn(entry.data['messageId']))
      if (entry.data['stage'] === 'turn') (answered ?? current(entry)).marks ??= entry.data
      else (answered ?? current(entry)).worked.push(...spanOf(entry))
    },
    'llm.toolCall'({ ts, data }) {
      const calls = Array.isArray(data['toolCalls']) ? data['toolCalls'] : []
      for (const { id, name } of calls as { id: string; name: string }[]) asked.set(id, { name, ts })
    },
    'tool.result'(entry) {
      const id = textIn(entry.data['id'])
      const tool = asked.get(id)
      if (tool) current(entry).tools.push(toolSpan(tool, entry.ts))
      asked.delete(id)
    },
    'knowledge.found'(entry) {
      current(entry).tools.push(lookUpSpan(entry))
    },
  }
  const byType = new Map(Object.entries(readers)) // a type may have any name, `constructor` too
  for (const entry of entries) byType.get(entry.type)?.(entry)
  return begun.flatMap(exchangeOf)
}

function exchangeOf({ seq, ts, answer, worked, tools, marks }: Begun): Exchange[] {
  const spoken = marks === null ? [] : spokenSpans(marks)
  const heardMs = ts * 1000 - (numberIn(marks?.['transcript_ms']) ?? 0)
  const stages =
    spoken.length > 0 ? spoken : moved(worked, Math.min(heardMs, ...worked.map(({ fromMs }) => fromMs)))
  if (stages.length === 0) return []
  const spans = [...stages, ...moved(tools, heardMs)].toSorted((a, b) => a.fromMs - b.fromMs)
  return [{ seq: answer ?? seq, totalMs: Math.max(...spans.map(({ toMs }) => toMs)), spans }]
}

/** Each step of a spoken answer starts where the previous one ended. */
const steps = [
  { mark: 'transcript_ms', stage: 'stt', name: 'Speech-to-text' },
  { mark: 'turn_end_ms', stage: 'other', name: 'Turn detection' },
  { mark: 'first_token_ms', stage: 'llm', name: 'Model' },
  { mark: 'first_audio_ms', stage: 'tts', name: 'Text-to-speech' },
  { mark: 'heard_ms', stage: 'tool', name: 'Network' },
]

function spokenSpans(marks: Entry['data']): Span[] {
  const spans: Span[] = []
  let fromMs = 0
  for (const { mark, stage, name } of steps) {
    const at = numberIn(marks[mark])
    if (at === null) continue
    const toMs = Math.max(fromMs, at)
    spans.push({ name, stage, detail: '', fromMs, toMs, firstMs: null })
    fromMs = toMs
  }
  return spans
}

function spanOf({ ts, data }: Entry): Span[] {
  const took = numberIn(data['total_ms'])
  if (took === null) return []
  const stage = textIn(data['stage'])
  const first = numberIn(data['first_word_ms']) ?? numberIn(data['first_audio_ms'])
  const fromMs = ts * 1000 - took
  const detail = [textIn(data['vendor']), textIn(data['model'])].filter(Boolean).join(' ')
  const firstMs = first === null ? null : fromMs + first
  return [{ name: stageName(stage), stage, detail, fromMs, toMs: ts * 1000, firstMs }]
}

const toolSpan = ({ name, ts }: { name: string; ts: number }, answeredAt: number): Span => ({
  name,
  stage: 'tool',
  detail: 'tool',
  fromMs: ts * 1000,
  toMs: answeredAt * 1000,
  firstMs: null,
})

const lookUpSpan = ({ ts, data }: Entry): Span => {
  const found = Array.isArray(data['passages']) ? data['passages'].length : 0
  return {
    name: `Knowledge ${textIn(data['base'])}`,
    stage: 'knowledge',
    detail: data['late'] === true ? 'late' : counted(found, 'passage'),
    fromMs: ts * 1000 - (numberIn(data['ms']) ?? 0),
    toMs: ts * 1000,
    firstMs: null,
  }
}

const moved = (spans: readonly Span[], byMs: number): Span[] =>
  spans.map((span) => ({
    ...span,
    fromMs: Math.max(0, span.fromMs - byMs),
    toMs: Math.max(0, span.toMs - byMs),
    firstMs: span.firstMs === null ? null : Math.max(0, span.firstMs - byMs),
  }))
