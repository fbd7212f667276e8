import {
  AudioFrame,
  AudioSource,
  AudioStream,
  LocalAudioTrack,
  Room,
  RoomEvent,
  TrackPublishOptions,
  TrackSource,
} from '@livekit/rtc-node'
import { AccessToken } from 'livekit-server-sdk'
import type { LiveKitAddress } from '../src/livekit/server.ts'
import { sine, strengthOf } from '@switchroom/audio/testing/tones'

const sampleRate = 48_000
const frame = sampleRate / 50

/** A participant in a LiveKit room who plays a sine until they leave. */
export class RoomVisitor {
  readonly digits: string[] = []
  /** The room is gone, or they were put out of it. */
  readonly putOut: Promise<unknown>
  readonly #room = new Room()
  readonly #source = new AudioSource(sampleRate, 1)
  #isGone = false
  #wake: (() => void)[] = []
  #heard = new Int16Array(0)

  private constructor() {
    this.putOut = new Promise((resolve) => this.#room.on(RoomEvent.Disconnected, resolve))
  }

  static async enter({ url, key, secret }: LiveKitAddress, room: string, hz: number): Promise<RoomVisitor> {
    const visitor = new RoomVisitor()
    const token = new AccessToken(key, secret, { identity: 'caller', attributes: { colour: 'blue' } })
    token.addGrant({ roomJoin: true, room })
    visitor.#room.on(RoomEvent.TrackSubscribed, (track) => {
      void visitor.#listen(new AudioStream(track, { sampleRate, numChannels: 1, frameSizeMs: 20 }))
    })
    visitor.#room.on(RoomEvent.DtmfReceived, (_code, digit) => {
      visitor.digits.push(digit)
      visitor.#tell()
    })
    await visitor.#room.connect(url, await token.toJwt(), { autoSubscribe: true, dynacast: false })
    const track = LocalAudioTrack.createAudioTrack('microphone', visitor.#source)
    const options = new TrackPublishOptions({ source: TrackSource.SOURCE_MICROPHONE })
    await visitor.#room.localParticipant?.publishTrack(track, options)
    void visitor.#speak(hz)
    return visitor
  }

  press = (digit: string) =>
    this.#room.localParticipant?.publishDtmf('0123456789*#ABCD'.indexOf(digit), digit)

  /** Until this frequency is heard. */
  async hears(hz: number): Promise<void> {
    await this.until(() => strengthOf(hz, this.#heard, sampleRate) > 0.3)
  }

  async until(isThere: () => boolean): Promise<void> {
    while (!isThere()) await new Promise<void>((resolve) => this.#wake.push(resolve))
  }

  async leave(): Promise<void> {
    if (this.#isGone) return
    this.#isGone = true
    await this.#room.disconnect()
  }

  async #speak(hz: number): Promise<void> {
    for (let at = 0; !this.#isGone; at += frame)
      await this.#source
        .captureFrame(new AudioFrame(sine(hz, frame, sampleRate, at), sampleRate, 1, frame))
        .catch(() => {})
  }

  async #listen(stream: AudioStream): Promise<void> {
    for await (const { data } of stream) {
      this.#heard = Int16Array.from(data)
      this.#tell()
    }
  }

  #tell(): void {
    for (const wake of this.#wake.splice(0)) wake()
  }
}
