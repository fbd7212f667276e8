import { ReadableStream } from 'node:stream/web'
import {
  inference,
  initializeLogger,
  stt,
  VADEventType,
  voice,
  type VADEvent,
  type VADStream,
} from '@livekit/agents'
import { AudioFrame } from '@livekit/rtc-node'
import type { Sound } from '@switchroom/contract/sound'
import { abandon } from '@switchroom/kit/until-aborted'
import { SoundInput } from './sound-input.ts'
import { SoundOutput } from './sound-output.ts'
import type { Utterance } from './utterance.ts'

initializeLogger({ pretty: false, level: 'silent' })

/** Our own deadlines hold; a tool may take its time in the middle of a message. */
const neverMs = 2 ** 31 - 1
/** So much is asked of a voice before it is played, so that no pause comes between two sentences. */
const mostFramesAhead = 100

/** Of speech that has just begun; what follows is listened to as it comes. */
const mostBufferedMs = 1_000

export interface CallAudioListener {
  /** Every frame of the party, at the moment it comes. */
  arrived: (samples: Int16Array) => void
  /** The same, after those before it were looked through for speech: for the transcribers. */
  frame: (samples: Int16Array) => void
  activity: (event: VADEvent) => void
  /** Samples are about to be handed over; whether anybody still wants to hear them. */
  isWanted: (samples: Int16Array) => boolean
  left: () => void
  failed: (error: unknown) => void
}

/** The sound of one call on LiveKit's session, which carries it, separates voice from noise and plays what is said. */
export class CallAudio {
  readonly #session: voice.AgentSession
  readonly #sound: Sound
  readonly #listener: CallAudioListener
  #input: SoundInput | null = null

  constructor(sound: Sound, listener: CallAudioListener) {
    this.#sound = sound
    this.#listener = listener
    this.#session = new voice.AgentSession({
      vad: new OverheardVad(listener.activity),
      stt: new ExternalSpeechToText(),
      aecWarmupDuration: null,
      userAwayTimeout: null,
      ttsReadIdleTimeout: neverMs,
      forwardAudioIdleTimeout: neverMs,
      ttsTextTransforms: null,
      // who speaks when is decided by TurnTaking, to the millisecond that the settings say
      turnHandling: {
        turnDetection: 'manual',
        interruption: { mode: 'vad', discardAudioIfUninterruptible: false, resumeFalseInterruption: false },
        preemptiveGeneration: { enabled: false },
      },
    })
    this.#session.on(voice.AgentSessionEventTypes.Error, ({ error }) => listener.failed(error))
  }

  async start() {
    const { arrived, frame, isWanted, left } = this.#listener
    this.#input = new SoundInput(this.#sound, arrived, left)
    this.#session.input.audio = this.#input
    this.#session.output.audio = new SoundOutput(this.#sound, isWanted)
    await this.#session.start({ agent: new HearingAgent(frame), record: false })
  }

  /** Resolves once it was played, or cut short. */
  async play(utterance: Utterance): Promise<void> {
    const audio = framesOf(utterance, this.#sound.sampleRate)
    const handle = this.#session.say('', { audio, allowInterruptions: false, addToChatCtx: false })
    const stop = () => void handle.interrupt(true)
    utterance.signal.addEventListener('abort', stop, { once: true })
    if (utterance.signal.aborted) stop()
    await handle.waitForPlayout()
  }

  async close() {
    if (!this.#input) return
    this.#input.stop()
    await this.#session.close().catch(() => {}) // what is left of it is not heard any more
  }
}

function framesOf(utterance: Utterance, sampleRate: number): ReadableStream<AudioFrame> {
  const samples = utterance.samples()[Symbol.asyncIterator]()
  return new ReadableStream<AudioFrame>(
    {
      async pull(controller) {
        const next = await samples.next()
        if (next.done) controller.close()
        else controller.enqueue(new AudioFrame(next.value, sampleRate, 1, next.value.length))
      },
      cancel: () => abandon(samples),
    },
    { highWaterMark: mostFramesAhead },
  )
}

/** Voice activity detection whose events go to a second listener. */
class OverheardVad extends inference.VAD {
  readonly #overhear: (event: VADEvent) => void

  constructor(overhear: (event: VADEvent) => void) {
    super({ maxBufferedSpeech: mostBufferedMs })
    this.#overhear = overhear
  }

  override stream(): VADStream {
    const stream = super.stream()
    const next = stream.next.bind(stream)
    stream.next = async () => {
      const event = await next()
      if (!event.done && event.value.type !== VADEventType.METRICS_COLLECTED) this.#overhear(event.value)
      return event
    }
    return stream
  }
}

/** The transcribers are listened to by `Hearing`: LiveKit only needs to know that there are some. */
class ExternalSpeechToText extends stt.STT {
  label = 'transcriber'

  constructor() {
    super({ streaming: true, interimResults: true })
  }

  protected override _recognize(): Promise<stt.SpeechEvent> {
    return Promise.reject(new Error('the transcriber are elsewhere'))
  }

  override stream(): stt.SpeechStream {
    throw new Error('the transcriber are elsewhere')
  }
}

class HearingAgent extends voice.Agent {
  readonly #frame: (samples: Int16Array) => void

  constructor(frame: (samples: Int16Array) => void) {
    super({ instructions: '' })
    this.#frame = frame
  }

  /** Nothing comes back: what is heard becomes turns elsewhere. */
  override async sttNode(audio: ReadableStream<AudioFrame> | AsyncIterable<AudioFrame>) {
    const hear = async () => {
      for await (const { data } of audio) this.#frame(data)
    }
    return new ReadableStream<stt.SpeechEvent>({
      async start(controller) {
        await hear().catch(() => {})
        controller.close()
      },
    })
  }
}
