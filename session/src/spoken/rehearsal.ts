import { setTimeout as sleep } from 'node:timers/promises'
import type { Sound } from '@switchroom/contract/sound'
import type { Heard, LiveAudio } from '@switchroom/kit/vendor'
import type { SpokenParts } from './spoken-parts.ts'
import { SpokenSession } from './spoken-session.ts'

const phoneRate = 8_000
const voiceRate = 24_000
const frameSamples = phoneRate / 50
/** Quicker than a caller speaks, so that it takes little time. */
const everyMs = 2
/** Of what the caller says; then they are silent. */
const spokenFrames = 40
/** Of what the caller says: syllables, by turns of these vowels. A single vowel that goes on is no voice to the model. */
const syllableS = 0.2
/** Each frequency in hertz, with its loudness. */
const vowels = [
  [
    [700, 9_000],
    [1_220, 6_000],
    [2_600, 2_400],
  ],
  [
    [300, 9_000],
    [2_200, 4_500],
    [2_900, 2_100],
  ],
] as const
const pitch = { hertz: 140, glideHertz: 10, glideS: 0.6 }
/** How soon a vowel fades after each pulse of the voice, a second. */
const fading = 60

/**
 * Holds a short conversation with no party, vendor or log: a greeting, a sentence of the caller and the answer.
 * Afterwards everything that a first call would wait for is loaded and has run. Rejects if the signal aborts first.
 */
export async function rehearse(signal: AbortSignal): Promise<void> {
  const over = new AbortController()
  const sound = new RehearsedSound()
  const answered = Promise.withResolvers<void>()
  const session = new SpokenSession(rehearsedParts(sound, answered.resolve), [])
  const running = session.run(AbortSignal.any([signal, over.signal]))
  const end = await Promise.race([answered.promise, running])
  over.abort()
  await running
  if (end) throw signal.reason ?? new Error('the rehearsal of a call failed')
}

function rehearsedParts(sound: Sound, answered: () => void): SpokenParts {
  const from = { vendor: 'rehearsal', model: '', key: 'none' } as const
  let spoken = 0
  return {
    callId: 'rehearsal',
    contact: null,
    sound,
    config: { turn: { endpointing_ms: 0 } },
    endOfTurn: 'framework',
    transcribers: [{ ...from, transcriber: { listen: hear } }],
    voices: [
      {
        ...from,
        voice: {
          sampleRate: voiceRate,
          async *speak() {
            yield { type: 'audio', pcm: new Uint8Array(voiceRate / 5) }
            spoken += 1
            if (spoken > 1) answered()
          },
        },
      },
    ],
    models: [
      {
        ...from,
        async *think() {
          yield { type: 'text', text: 'Hello.' }
          yield { type: 'usage', inputTokens: 1, outputTokens: 1 }
        },
      },
    ],
    realtime: [],
    instructions: {
      prompt: '',
      knowledge: null,
      lexicon: { said: [], heard: [] },
      language: null,
      greeting: { say: 'Hello.' },
      hangup: null,
      memory: null,
      facts: [],
      tools: [],
      metadata: {},
      llmTimeoutMs: 1_000,
    },
    keep: async () => {},
    show: () => {},
    prepare: async () => ({}),
    runTools: async () => [],
    record: null,
    sendsAudioMetrics: false,
    idleTimeoutMs: null,
    newMessageId: () => 'rehearsal',
    nowMs: () => performance.now(),
  }
}

/** One sentence, once it was said. */
async function* hear(audio: AsyncIterable<LiveAudio>): AsyncIterable<Heard> {
  yield { type: 'ready' }
  let isHeard = false
  for await (const piece of audio) {
    if (piece !== 'finalize' || isHeard) continue
    isHeard = true
    yield { type: 'final', text: 'Hello there.' }
  }
}

/** A party that says a few syllables and plays what it is given at once. */
class RehearsedSound implements Sound {
  readonly sampleRate = phoneRate
  playedMs = 0
  #isOver = false

  async *heard(): AsyncIterable<Int16Array> {
    const said = syllables(spokenFrames * frameSamples)
    try {
      for (let frame = 0; !this.#isOver; frame += 1) {
        await sleep(everyMs)
        yield frame < spokenFrames
          ? said.slice(frame * frameSamples, (frame + 1) * frameSamples)
          : new Int16Array(frameSamples)
      }
    } finally {
      this.#isOver = true
    }
  }

  async play(samples: Int16Array): Promise<void> {
    this.playedMs += (samples.length / phoneRate) * 1_000
  }

  clear() {}
  async drained() {}
  onTone() {}
  async sendTones() {}
}

function syllables(length: number): Int16Array {
  let pulses = 0
  return Int16Array.from({ length }, (_, at) => {
    const seconds = at / phoneRate
    const hertz = pitch.hertz + pitch.glideHertz * Math.sin((2 * Math.PI * seconds) / pitch.glideS)
    pulses += hertz / phoneRate
    const sincePulse = (pulses % 1) / hertz
    const vowel = vowels[Math.floor(seconds / syllableS) % 2] ?? vowels[0]
    let sample = 0
    for (const [frequency, level] of vowel) sample += level * Math.sin(2 * Math.PI * frequency * sincePulse)
    const loudness = Math.sqrt(Math.sin((Math.PI * (seconds % syllableS)) / syllableS))
    return Math.round(sample * Math.exp(-sincePulse * fading) * loudness)
  })
}
