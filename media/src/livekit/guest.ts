import type { Leg, LegEnd } from '../leg.ts'
import type { LiveKitServer } from './server.ts'

/** A second person in a caller's room: the room carries what the two say to each other, and nothing comes by here. */
export class RoomGuest implements Leg {
  readonly sampleRate: number
  readonly ended: Promise<LegEnd>
  readonly playedMs = 0
  readonly #remove: () => Promise<unknown>

  constructor(
    server: Pick<LiveKitServer, 'remove'>,
    room: string,
    identity: string,
    { sampleRate, ended }: Pick<Leg, 'sampleRate' | 'ended'>,
  ) {
    this.sampleRate = sampleRate
    this.ended = ended
    this.#remove = () => server.remove(room, identity)
  }

  async *heard(): AsyncIterable<Int16Array> {}
  async play(): Promise<void> {}
  async drained(): Promise<void> {}
  async sendTones(): Promise<void> {}
  async transfer(): Promise<void> {}
  clear(): void {}
  onTone(): void {}

  async hangUp(): Promise<void> {
    await this.#remove()
  }
}
