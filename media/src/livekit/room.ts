import { setTimeout as after } from 'node:timers/promises'
import {
  AudioFrame,
  AudioSource,
  AudioStream,
  DisconnectReason,
  LocalAudioTrack,
  ParticipantKind,
  type RemoteParticipant,
  type RemoteTrack,
  type RemoteTrackPublication,
  Room,
  RoomEvent,
  TrackKind,
  TrackPublishOptions,
  TrackSource,
} from '@livekit/rtc-node'
import type { Leg, LegEnd } from '../leg.ts'
import { RoomGuest } from './guest.ts'
import type { LiveKitServer, SecondDial } from './server.ts'
import { MediaError } from '../plane.ts'
import { HeardFrames } from '../sound/heard-frames.ts'
import { ReceivedAudio } from '../sound/received-audio.ts'
import { keypad, keysIn } from '../sound/keypad.ts'
import { frameMs, pace, unpace } from '../sound/pacer.ts'
import { Playout } from '../sound/playout.ts'

const sampleRate = 24_000
const frameSamples = (sampleRate * frameMs) / 1000
/** So much lies with the server's library ahead of time, so that a busy moment is not heard. */
const aheadFrames = 3
const queueMs = 200
const betweenTonesMs = 300
/** Longer than a phone rings: the caller is not coming any more. */
const callerWithinMs = 90_000

/** What a leg asks of the server beside the room. */
export type RoomServer = Pick<LiveKitServer, 'transfer' | 'deleteRoom' | 'bring' | 'remove'>

export interface RoomTerms {
  url: string
  room: string
  token: string
}

export interface RoomCaller {
  identity: string
  /** Of a phone, among others `sip.phoneNumber` and `sip.trunkPhoneNumber`. */
  attributes: Readonly<Record<string, string>>
  isPhone: boolean
}

/** A party in a LiveKit room, by phone or browser: the first one there who is no agent. */
export class RoomLeg implements Leg {
  readonly sampleRate = sampleRate
  readonly ended: Promise<LegEnd>
  /** Who it is, once they are there; null when the leg ended before. */
  readonly caller: Promise<RoomCaller | null>
  readonly #room: Room
  readonly #name: string
  readonly #server: RoomServer
  readonly #source = new AudioSource(sampleRate, 1, queueMs)
  readonly #playout = new Playout(sampleRate)
  readonly #heard = new HeardFrames()
  readonly #received = new ReceivedAudio({ clockRate: sampleRate, sampleRate, decode: samplesIn })
  readonly #end = Promise.withResolvers<LegEnd>()
  readonly #found = Promise.withResolvers<RoomCaller | null>()
  /** Others who were brought in, until they leave. */
  readonly #guests = new Map<string, (end: LegEnd) => void>()
  #callerIdentity: string | undefined
  #trackId: string | undefined
  #isAnswered = false
  #hearingFrom: ReadableStreamDefaultReader<AudioFrame> | undefined
  #waitedMs = 0
  #heardSamples = 0
  #isSilent = true
  /** Of what counts as played, what lay with the library and was dropped. */
  #droppedMs = 0
  #isOver = false
  /** With everyone who was in it. */
  #isRoomGone = false
  #toneListener: (digit: string) => void = () => {}

  private constructor(room: Room, name: string, server: RoomServer) {
    this.#room = room
    this.#name = name
    this.#server = server
    this.ended = this.#end.promise
    this.caller = this.#found.promise
    room.on(RoomEvent.ParticipantConnected, (participant) => this.#arrived(participant))
    room.on(RoomEvent.ParticipantDisconnected, ({ identity }) => {
      if (identity === this.#callerIdentity) this.#finish('hangup')
      this.#guests.get(identity)?.('hangup')
    })
    room.on(RoomEvent.TrackPublished, (publication, { identity }) => {
      if (identity === this.#callerIdentity) this.#listenTo(publication)
    })
    room.on(RoomEvent.TrackSubscribed, (track, _publication, { identity }) =>
      this.#subscribed(track, identity),
    )
    room.on(RoomEvent.DtmfReceived, (_code, digit, { identity }) => {
      if (identity === this.#callerIdentity) this.#toneListener(digit)
    })
    room.on(RoomEvent.Disconnected, (reason) => {
      this.#isRoomGone ||= reason === DisconnectReason.ROOM_DELETED || reason === DisconnectReason.ROOM_CLOSED
      this.#finish(isGoodbye(reason) ? 'hangup' : 'lost')
    })
  }

  /** Fails with a `MediaError`. */
  static async join({ url, room: name, token }: RoomTerms, server: RoomServer): Promise<RoomLeg> {
    const room = new Room()
    const leg = new RoomLeg(room, name, server)
    try {
      await room.connect(url, token, { autoSubscribe: false, dynacast: false })
      await leg.#publish()
    } catch (error) {
      leg.#finish('lost')
      throw new MediaError(
        `the room could not be joined: ${error instanceof Error ? error.message : String(error)}`,
      )
    }
    for (const participant of room.remoteParticipants.values()) leg.#arrived(participant)
    pace(leg)
    return leg
  }

  get playedMs(): number {
    return Math.max(0, this.#playout.playedMs - this.#droppedMs - this.#source.queuedDuration)
  }

  heard = () => this.#heard.read()
  play = (samples: Int16Array) => this.#playout.play(samples)
  drained = () => this.#playout.drained()
  transfer = (to: string) => this.#server.transfer(this.#name, to.includes(':') ? to : `tel:${to}`)

  clear(): void {
    this.#playout.clear()
    if (this.#isOver) return
    this.#droppedMs += this.#source.queuedDuration
    this.#source.clearQueue()
  }

  /** The caller is heard from now on; one on a phone hears it ring until then. */
  answer(): void {
    this.#isAnswered = true
    const caller = this.#room.remoteParticipants.get(this.#callerIdentity ?? '')
    for (const publication of caller?.trackPublications.values() ?? []) this.#listenTo(publication)
  }

  /** Brings a second person into the room; fails with a `MediaError`. */
  async bring(dial: SecondDial, signal: AbortSignal): Promise<Leg> {
    const identity = `guest-${dial.to}`
    const { promise: ended, resolve } = Promise.withResolvers<LegEnd>()
    const gone = new MediaError('the caller is gone')
    if (signal.aborted) throw gone
    this.#guests.set(identity, resolve)
    const gaveUp = new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(gone), { once: true })
    })
    const brought = this.#server.bring(this.#name, identity, dial)
    try {
      await Promise.race([brought, gaveUp])
    } catch (error) {
      this.#guests.delete(identity)
      if (error === gone) void this.#sendAway(identity, brought)
      throw error
    }
    return new RoomGuest(this.#server, this.#name, identity, { sampleRate, ended })
  }

  /** They ring no longer; one who answers all the same would be alone in a room made anew. */
  async #sendAway(identity: string, brought: Promise<void>): Promise<void> {
    const remove = () => this.#server.remove(this.#name, identity)
    await remove().catch(() => {})
    await brought.then(remove).catch(() => {})
  }

  /** Leaves the room to those in it: nothing is said or heard here any more. Resolves when one of the two is gone. */
  async leaveTo(guest: Leg): Promise<void> {
    this.clear()
    void this.#hearingFrom?.cancel().catch(() => {})
    const caller = this.#room.remoteParticipants.get(this.#callerIdentity ?? '')
    for (const publication of caller?.trackPublications.values() ?? []) publication.setSubscribed(false)
    if (this.#trackId !== undefined)
      await this.#room.localParticipant?.unpublishTrack(this.#trackId).catch(() => {})
    await Promise.race([this.ended, guest.ended])
  }

  onTone(listener: (digit: string) => void): void {
    this.#toneListener = listener
  }

  async sendTones(digits: string): Promise<void> {
    for (const digit of keysIn(digits)) {
      if (this.#isOver) return
      await this.#room.localParticipant?.publishDtmf(keypad.indexOf(digit), digit)
      await after(betweenTonesMs)
    }
  }

  /** Ends it for everybody in the room, even if this end lost it or the caller left others there. */
  async hangUp(): Promise<void> {
    this.#finish('hangup')
    if (this.#isRoomGone) return
    await this.#server.deleteRoom(this.#name)
    this.#isRoomGone = true
  }

  tick(): void {
    if (this.#callerIdentity === undefined) {
      this.#waitedMs += frameMs
      if (this.#waitedMs > callerWithinMs) return this.#finish('lost')
    } else this.#send()
    for (const frame of this.#received.take()) this.#heard.put(frame)
  }

  missed(frames: number): void {
    this.#received.missed(frames)
  }

  #send(): void {
    for (let frames = this.#isSilent ? aheadFrames : 1; frames > 0; frames -= 1) {
      const samples = this.#playout.take(frameSamples)
      this.#isSilent = samples === undefined
      if (!samples) return
      // A closed source takes nothing, and nothing of it is heard.
      this.#source.captureFrame(new AudioFrame(samples, sampleRate, 1, frameSamples)).catch(() => {})
    }
  }

  async #publish(): Promise<void> {
    const track = LocalAudioTrack.createAudioTrack('agent', this.#source)
    const options = new TrackPublishOptions({ source: TrackSource.SOURCE_MICROPHONE, dtx: true, red: false })
    const published = await this.#room.localParticipant?.publishTrack(track, options)
    this.#trackId = published?.sid
  }

  #arrived({ identity, attributes, kind, trackPublications }: RemoteParticipant): void {
    if (this.#callerIdentity !== undefined || kind === ParticipantKind.AGENT) return
    this.#callerIdentity = identity
    this.#found.resolve({ identity, attributes, isPhone: kind === ParticipantKind.SIP })
    for (const publication of trackPublications.values()) this.#listenTo(publication)
  }

  #listenTo(publication: RemoteTrackPublication): void {
    if (this.#isAnswered && publication.kind === TrackKind.KIND_AUDIO) publication.setSubscribed(true)
  }

  #subscribed(track: RemoteTrack, identity: string): void {
    if (identity !== this.#callerIdentity || track.kind !== TrackKind.KIND_AUDIO || this.#isOver) return
    void this.#hearingFrom?.cancel().catch(() => {}) // a later track takes over
    const stream = new AudioStream(track, { sampleRate, numChannels: 1, frameSizeMs: frameMs })
    const reader = stream.getReader()
    this.#hearingFrom = reader
    void this.#hear(reader)
  }

  async #hear(reader: ReadableStreamDefaultReader<AudioFrame>): Promise<void> {
    for (;;) {
      const { value: frame } = await reader.read().catch(() => ({ value: undefined }))
      if (!frame || this.#isOver) return
      const { data } = frame
      const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
      this.#received.put(this.#heardSamples >>> 0, bytes)
      this.#heardSamples += data.length
    }
  }

  #finish(how: LegEnd): void {
    if (this.#isOver) return
    this.#isOver = true
    unpace(this)
    this.#playout.end()
    this.#heard.end()
    this.#found.resolve(null)
    for (const tell of this.#guests.values()) tell(how)
    this.#end.resolve(how)
    void this.#leave()
  }

  async #leave(): Promise<void> {
    await this.#hearingFrom?.cancel().catch(() => {})
    await this.#room.disconnect().catch(() => {}) // it may never have been joined
    await this.#source.close().catch(() => {})
  }
}

function samplesIn(bytes: Uint8Array): Int16Array {
  return new Int16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 2)
}

function isGoodbye(reason: DisconnectReason): boolean {
  return [
    DisconnectReason.ROOM_DELETED,
    DisconnectReason.ROOM_CLOSED,
    DisconnectReason.PARTICIPANT_REMOVED,
    DisconnectReason.CLIENT_INITIATED,
  ].includes(reason)
}
