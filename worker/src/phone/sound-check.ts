import type { Leg } from '@switchroom/media/leg'
import { setTimeout as sleep } from 'node:timers/promises'

/** What came back while a tone was played into a call. */
export interface SoundFound {
  /** The tone itself, another sound, silence, or not one packet. */
  heard: 'tone' | 'sound' | 'silence' | 'nothing'
  /** From the first of the tone to its return, or to the first other sound. */
  afterMs: number | null
}

const toneHz = 1_000
const toneMs = 4_000
const listenMs = 6_000
/** A tone that lasts this long (0.2 s) is no accident. */
const enoughFrames = 10
const loud = 300
/** Of the power of a frame, how much is at the tone's own pitch. */
const pureShare = 0.5

/** Plays a tone into a call and listens for it, for as long as it takes or six seconds. */
export async function checkSound(leg: Leg, forMs = listenMs): Promise<SoundFound> {
  const begunMs = performance.now()
  const late = new AbortController()
  const state = { tones: 0, sounds: 0, afterMs: null as number | null, isOver: false }
  const listen = async () => {
    for await (const frame of leg.heard()) {
      if (state.isOver) return
      const kind = kindOf(frame, leg.sampleRate)
      if (kind === 'silence') continue
      state.afterMs ??= Math.round(performance.now() - begunMs)
      if (kind === 'tone') state.tones += 1
      else state.sounds += 1
      if (state.tones >= enoughFrames) return
    }
  }
  const listening = listen()
  void leg.play(toneAt(leg.sampleRate)).catch(() => {})
  const over = sleep(forMs, undefined, { signal: late.signal }).catch(() => {})
  await Promise.race([listening, over, leg.ended])
  state.isOver = true
  late.abort()
  leg.clear()
  return { heard: found(state, leg), afterMs: state.afterMs }
}

function found({ tones, sounds }: { tones: number; sounds: number }, leg: Leg): SoundFound['heard'] {
  if (tones >= enoughFrames) return 'tone'
  if (tones + sounds >= enoughFrames) return 'sound'
  return leg.line?.heard.expected ? 'silence' : 'nothing'
}

function toneAt(sampleRate: number): Int16Array {
  const step = (2 * Math.PI * toneHz) / sampleRate
  return Int16Array.from({ length: (sampleRate * toneMs) / 1000 }, (_, at) => 8_000 * Math.sin(step * at))
}

/** By the Goertzel filter of the tone's pitch. */
function kindOf(frame: Int16Array, sampleRate: number): 'tone' | 'sound' | 'silence' {
  const coefficient = 2 * Math.cos((2 * Math.PI * toneHz) / sampleRate)
  let [last, before, power] = [0, 0, 0]
  for (const sample of frame) {
    ;[last, before] = [sample + coefficient * last - before, last]
    power += sample * sample
  }
  if (frame.length === 0 || Math.sqrt(power / frame.length) < loud) return 'silence'
  const atTone = (2 * (last * last + before * before - coefficient * last * before)) / frame.length
  return atTone / power >= pureShare ? 'tone' : 'sound'
}
