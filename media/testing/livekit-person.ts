import { RoomAgentDispatch, RoomConfiguration } from '@livekit/protocol'
import {
  AudioFrame,
  AudioSource,
  AudioStream,
  dispose,
  LocalAudioTrack,
  Room,
  RoomEvent,
  TrackPublishOptions,
  TrackSource,
} from '@livekit/rtc-node'
import { AccessToken } from 'livekit-server-sdk'
import type { LiveKitAddress } from '../src/livekit/server.ts'

export { dispose }

export const personRate = 48_000
const frame = personRate / 50
/** Louder than this counts as speech. */
const loud = 500

/** A participant in a room with a microphone, which is silent but for what they say. */
export class RoomPerson {
  readonly left: Promise<void>
  readonly digits: string[] = []
  readonly #room = new Room()
  readonly #source = new AudioSource(personRate, 1)
  readonly #waiting: Int16Array[] = []
  readonly #gone = Promise.withResolvers<void>()
  #isGone = false
  #loudFrames = 0
  #subscribers = 0
  #wake: (() => void)[] = []

  private constructor() {
    this.left = this.#gone.promise
    this.#room.on(RoomEvent.TrackSubscribed, (track) => {
      void this.#listen(new AudioStream(track, { sampleRate: personRate, numChannels: 1, frameSizeMs: 20 }))
    })
    this.#room.on(RoomEvent.LocalTrackSubscribed, () => {
      this.#subscribers += 1
      this.#tell()
    })
    this.#room.on(RoomEvent.DtmfReceived, (_code, digit) => void this.digits.push(digit))
    this.#room.on(RoomEvent.Disconnected, () => {
      this.#isGone = true
      this.#gone.resolve()
      this.#tell()
    })
  }

  static async enter(url: string, token: string): Promise<RoomPerson> {
    const person = new RoomPerson()
    await person.#room.connect(url, token, { autoSubscribe: true, dynacast: false })
    const track = LocalAudioTrack.createAudioTrack('microphone', person.#source)
    const options = new TrackPublishOptions({ source: TrackSource.SOURCE_MICROPHONE })
    await person.#room.localParticipant?.publishTrack(track, options)
    void person.#speak()
    return person
  }

  /** Whether anybody listens: until then LiveKit's SIP service lets a caller's phone ring. */
  get isAnswered(): boolean {
    return this.#subscribers > 0
  }

  /** How often in 20 ms something was heard. */
  get loudFrames(): number {
    return this.#loudFrames
  }

  say(samples: Int16Array): void {
    this.#waiting.push(samples)
  }

  press = (digit: string) =>
    this.#room.localParticipant?.publishDtmf('0123456789*#ABCD'.indexOf(digit), digit)

  /** Until more than this was heard. */
  async untilSpokenTo(since = 0): Promise<void> {
    while (this.#loudFrames <= since + 10 && !this.#isGone) await this.#next()
  }

  async untilAnswered(): Promise<void> {
    while (!this.isAnswered && !this.#isGone) await this.#next()
  }

  async leave(): Promise<void> {
    if (!this.#isGone) await this.#room.disconnect()
    this.#isGone = true
    this.#gone.resolve()
  }

  async #speak(): Promise<void> {
    while (!this.#isGone) {
      const [said = new Int16Array(frame)] = this.#waiting
      const rest = said.subarray(frame)
      this.#waiting.splice(0, 1, ...(rest.length > 0 ? [rest] : []))
      const samples = new Int16Array(frame)
      samples.set(said.subarray(0, frame))
      await this.#source.captureFrame(new AudioFrame(samples, personRate, 1, frame)).catch(() => {})
    }
  }

  async #listen(stream: AudioStream): Promise<void> {
    for await (const { data } of stream) {
      if (!data.some((sample) => Math.abs(sample) > loud)) continue
      this.#loudFrames += 1
      this.#tell()
    }
  }

  #next = () => new Promise<void>((resolve) => this.#wake.push(resolve))

  #tell(): void {
    for (const wake of this.#wake.splice(0)) wake()
  }
}

/** A caller on the phone as LiveKit's SIP service brings one: a room by its rule, and both numbers in attributes. */
export async function phoneCaller(
  { url, key, secret }: LiveKitAddress,
  { number, from, fleet }: { number: string; from: string; fleet: string },
): Promise<RoomPerson> {
  const room = `call-_${from}_${Math.random().toString(36).slice(2)}`
  const token = phoneToken({ key, secret }, room, `sip_${from}`, {
    'sip.trunkPhoneNumber': number,
    'sip.phoneNumber': from,
  })
  token.roomConfig = new RoomConfiguration({ agents: [new RoomAgentDispatch({ agentName: fleet })] })
  return RoomPerson.enter(url, await token.toJwt())
}

/** The token with which the SIP service puts a phone into a room. */
export function phoneToken(
  { key, secret }: Pick<LiveKitAddress, 'key' | 'secret'>,
  room: string,
  identity: string,
  attributes: Record<string, string> = {},
): AccessToken {
  const known = { 'sip.callID': `SCL_${Math.random().toString(36).slice(2)}`, ...attributes }
  const token = new AccessToken(key, secret, { identity, attributes: known })
  token.kind = 'sip'
  token.addGrant({ roomJoin: true, room, canPublish: true, canSubscribe: true })
  return token
}
