import { silent, VendorFailure } from '@switchroom/kit/failures'
import { abandon, untilAborted } from '@switchroom/kit/until-aborted'
import type { Conversation, Thought, ToolCall } from '@switchroom/kit/vendor'
import { inSpan } from '@switchroom/telemetry/tracing'
import { setTimeout as sleep } from 'node:timers/promises'
import { Deadline } from './deadline.ts'
import type { ModelRun, TurnVoice } from './parts.ts'
import { modelSpan } from './vendor-spans.ts'

/** The models that gave no answer at all or were too busy are asked again after these pauses, or when they said. */
const pausesMs = [0, 300, 900]

export interface Answer {
  type: 'answered'
  run: ModelRun
  text: string
  calls: ToolCall[]
  inputTokens: number
  outputTokens: number
  /** Of models that hear and speak: how many of the tokens are sound. */
  inputAudioTokens?: number
  outputAudioTokens?: number
  firstWordMs: number
  totalMs: number
  /** The vendors that were asked before and failed. */
  failed: string[]
}

export type NoAnswer =
  | { type: 'timeout'; waitedMs: number; vendor: string }
  | { type: 'failed'; detail: string; vendor: string }

export interface ModelRequest {
  models: readonly ModelRun[]
  /** To the first word of any model. */
  timeoutMs: number
  nowMs: () => number
  /** Takes the words as they come. */
  voice?: Pick<TurnVoice, 'say' | 'takeBack'> | undefined
}

/**
 * Asks one model after the other, none for so long that nothing is left for the next. A model that has begun
 * and then says nothing for as long has failed too.
 */
export async function askModels(
  { models, timeoutMs, nowMs, voice }: ModelRequest,
  conversation: Conversation,
  signal: AbortSignal,
): Promise<Answer | NoAnswer> {
  const startedMs = nowMs()
  using deadline = new Deadline(timeoutMs)
  const failed = new Set<string>()
  const reasons = new Map<ModelRun, string>()
  let candidates = models
  let busyMs = 0
  for (const pauseMs of pausesMs) {
    const unheard: ModelRun[] = []
    const waits: number[] = []
    const waitMs = Math.max(pauseMs, busyMs)
    if (waitMs >= deadline.leftMs) break
    await paused(waitMs, signal)
    for (const [index, run] of candidates.entries()) {
      const others = candidates.length - index - 1
      const patienceMs = others > 0 ? deadline.leftMs / (others + 1) : null
      try {
        const answer = await attempt(
          { run, patienceMs, timeoutMs, deadline, nowMs, voice },
          conversation,
          signal,
        )
        return { ...answer, failed: [...failed] }
      } catch (error) {
        signal.throwIfAborted()
        if (deadline.isOver) return { type: 'timeout', waitedMs: nowMs() - startedMs, vendor: run.vendor }
        failed.add(run.vendor)
        reasons.set(run, `${run.vendor}: ${error instanceof Error ? error.message : String(error)}`)
        const { kind, retryAfterMs } = error instanceof VendorFailure ? error : silent('')
        if (kind === 'refused' && retryAfterMs === undefined) continue
        unheard.push(run)
        waits.push(retryAfterMs ?? 0)
      }
    }
    candidates = unheard
    if (candidates.length === 0) break
    busyMs = Math.min(...waits)
  }
  return { type: 'failed', detail: [...reasons.values()].join('; '), vendor: models[0]?.vendor ?? '' }
}

type Usage = Extract<Thought, { type: 'usage' }>

interface Attempt {
  run: ModelRun
  /** Null for the last, which has all that is left. */
  patienceMs: number | null
  timeoutMs: number
  deadline: Deadline
  nowMs: () => number
  voice: ModelRequest['voice']
}

async function attempt(
  asked: Attempt,
  conversation: Conversation,
  signal: AbortSignal,
): Promise<Omit<Answer, 'failed'>> {
  const { name, ...options } = modelSpan(asked.run)
  return inSpan(name, options, async (span) => {
    const answer = await answerOf(asked, conversation, signal)
    span?.set({
      'gen_ai.usage.input_tokens': answer.inputTokens,
      'gen_ai.usage.output_tokens': answer.outputTokens,
      'switchroom.first_word_ms': Math.round(answer.firstWordMs),
    })
    return answer
  })
}

async function answerOf(
  { run, patienceMs, timeoutMs, deadline, nowMs, voice }: Attempt,
  conversation: Conversation,
  signal: AbortSignal,
): Promise<Omit<Answer, 'failed'>> {
  using patience = new Deadline(patienceMs)
  const stop = AbortSignal.any([signal, deadline.signal, patience.signal])
  const startedMs = nowMs()
  const answer: Pick<Answer, 'text' | 'calls'> & Omit<Usage, 'type'> = {
    text: '',
    calls: [],
    inputTokens: 0,
    outputTokens: 0,
  }
  let firstWordMs: number | undefined
  let iterator: ReturnType<ReturnType<ModelRun['think']>[typeof Symbol.asyncIterator]> | undefined
  try {
    iterator = run.think(conversation, stop)[Symbol.asyncIterator]()
    for (;;) {
      const { done, value: thought } = await untilAborted(iterator.next(), stop)
      if (done) break
      if (thought.type === 'text') {
        answer.text += thought.text
        voice?.say(thought.text, 'model')
      }
      if (thought.type === 'call') {
        const { id, name, arguments: given } = thought
        answer.calls.push({ id, name, arguments: given })
      }
      if (thought.type === 'usage') {
        const { type: _, ...usage } = thought
        Object.assign(answer, usage)
      }
      if (answer.text.trim() === '' && answer.calls.length === 0) continue
      firstWordMs ??= nowMs() - startedMs
      deadline.stop()
      patience.start(timeoutMs)
    }
  } catch (error) {
    if (firstWordMs !== undefined) deadline.start(timeoutMs) // the next one begins anew
    if (answer.text !== '') voice?.takeBack()
    throw patience.isOver && !signal.aborted ? silent('it said nothing for too long') : error
  } finally {
    abandon(iterator)
  }
  const totalMs = nowMs() - startedMs
  return { type: 'answered', run, ...answer, firstWordMs: firstWordMs ?? totalMs, totalMs }
}

async function paused(ms: number, signal: AbortSignal) {
  if (ms > 0) await sleep(ms, undefined, { signal }).catch(() => {})
  signal.throwIfAborted()
}
