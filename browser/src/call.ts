import type { PageCall, PageEvent } from '@switchroom/contract/browser-calls'
import type { Connection, ConnectionEnds } from './connection.ts'
import { offerSound } from './embedded-connection.ts'
import type { CallGateway } from './gateway.ts'
import { LevelMeter, type Levels } from './levels.ts'
import { Listeners } from './listeners.ts'
import { joinRoom } from './livekit-connection.ts'
import type { Microphone } from './microphone.ts'
import { readPageEvents } from './page-events.ts'
import { Transcript, type AgentState, type Line } from './transcript.ts'

const levelsEveryMs = 100
/** The gateway tells why a call ended; without its word the connection was lost. */
const toldWithinMs = 2_000
const digitsForm = /^[0-9A-D*#]+$/i

export type CallState = 'connecting' | 'connected' | 'reconnecting' | 'ended'

export interface CallEvents {
  /** A line of the transcript is new or has changed. */
  transcript: Line
  agent: AgentState
  state: CallState
  /** Ten times a second, while it is listened to. */
  levels: Levels
  /** As the call's log has it: `hangup`, `idle_timeout`, `max_duration`, `failed`, … */
  ended: { reason: string }
}

/** A spoken call of this page. */
export class BrowserCall {
  readonly id: string
  /** The agent's name. */
  readonly agent: string
  readonly #gateway: CallGateway
  readonly #about: PageCall
  readonly #microphone: Microphone
  readonly #sound = new Audio()
  readonly #transcript = new Transcript()
  readonly #listeners = new Listeners<CallEvents>()
  readonly #over = new AbortController()
  #connection: Connection | undefined
  #agentTrack: MediaStreamTrack | undefined
  #meter: LevelMeter | undefined
  #isMeasuring = false
  #state: CallState = 'connecting'

  constructor(gateway: CallGateway, about: PageCall, microphone: Microphone) {
    this.id = about.call
    this.agent = about.agent
    this.#gateway = gateway
    this.#about = about
    this.#microphone = microphone
    this.#sound.autoplay = true
  }

  /** Fails with a sentence; the call is then over. */
  async connect(): Promise<this> {
    const { signal } = this.#over
    addEventListener('pagehide', () => this.hangUp(), { signal })
    void readPageEvents(this.#gateway, (event) => this.#take(event), signal)
    const ends: ConnectionEnds = {
      track: this.#microphone.track,
      onSound: (stream) => this.#play(stream),
      onState: (state) => this.#become(state),
      onEnd: () => void setTimeout(() => this.#finish('failed'), toldWithinMs),
    }
    try {
      const isRoom = /^wss?:/.test(this.#about.server_url)
      const connecting = isRoom
        ? joinRoom(this.#gateway.token, this.#about, ends)
        : offerSound(this.#gateway, this.#about, ends)
      const connection = await connecting
      if (signal.aborted) connection.close()
      this.#connection = connection
    } catch (error) {
      this.#finish('failed') // here: while the token lives it may be tried again
      throw error
    }
    return this
  }

  get state(): CallState {
    return this.#state
  }

  get agentState(): AgentState {
    return this.#transcript.state
  }

  /** What was said so far; the same array until something changes. */
  get transcript(): readonly Line[] {
    return this.#transcript.lines
  }

  get isMuted(): boolean {
    return this.#microphone.isMuted
  }

  get levels(): Levels {
    if (this.#state === 'ended') return { microphone: 0, agent: 0 }
    const meter = (this.#meter ??= new LevelMeter())
    return {
      microphone: this.isMuted ? 0 : meter.of('microphone', this.#microphone.track),
      agent: meter.of('agent', this.#agentTrack),
    }
  }

  /** Answers how to stop listening. */
  on<Name extends keyof CallEvents>(name: Name, listener: (event: CallEvents[Name]) => void): () => void {
    const stop = this.#listeners.on(name, listener)
    if (name === 'levels') this.#measure()
    return stop
  }

  mute(isMuted = true): void {
    this.#microphone.mute(isMuted)
  }

  /** Speaks into another microphone, by its `deviceId`. */
  setMicrophone(deviceId: string): Promise<void> {
    return this.#microphone.change(deviceId, async (track) => this.#connection?.replaceTrack(track))
  }

  /** Plays the agent on another speaker, by its `deviceId`. */
  async setSpeaker(deviceId: string): Promise<void> {
    if (!('setSinkId' in this.#sound)) throw new Error('This browser plays on its default speaker only.')
    await this.#sound.setSinkId(deviceId)
  }

  /** Keys of a phone: 0 to 9, A to D, * and #. */
  async press(digits: string): Promise<void> {
    if (!digitsForm.test(digits)) throw new Error(`Tones are 0 to 9, A to D, * and # (got "${digits}").`)
    await this.#connection?.press(digits)
  }

  hangUp(): void {
    if (this.#state === 'ended') return
    this.#gateway.hangUp()
    this.#finish('hangup')
  }

  /** Once for all who listen. */
  #measure(): void {
    const { signal } = this.#over
    if (signal.aborted || this.#isMeasuring) return
    this.#isMeasuring = true
    const measuring = setInterval(() => {
      if (this.#listeners.has('levels')) return this.#listeners.emit('levels', this.levels)
      clearInterval(measuring)
      this.#isMeasuring = false
    }, levelsEveryMs)
    signal.addEventListener('abort', () => clearInterval(measuring))
  }

  #take(event: PageEvent): void {
    const before = this.agentState
    const line = this.#transcript.take(event)
    if (line) this.#listeners.emit('transcript', line)
    if (this.agentState !== before) this.#listeners.emit('agent', this.agentState)
    if (event.type === 'call.ended') this.#finish(event.data.reason ?? 'failed')
  }

  #play(stream: MediaStream): void {
    this.#agentTrack = stream.getAudioTracks()[0]
    this.#sound.srcObject = stream
    // a browser that blocks sound lets it play after a click
    const play = () => void this.#sound.play().catch(() => {})
    addEventListener('pointerdown', play, { once: true, signal: this.#over.signal })
    play()
  }

  #become(state: CallState): void {
    if (this.#state === state || this.#state === 'ended') return
    this.#state = state
    this.#listeners.emit('state', state)
  }

  #finish(reason: string): void {
    if (this.#state === 'ended') return
    this.#become('ended')
    this.#over.abort()
    this.#connection?.close()
    this.#microphone.close()
    this.#meter?.close()
    this.#sound.srcObject = null
    this.#listeners.emit('ended', { reason })
  }
}
