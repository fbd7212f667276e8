import { Refusal, sipRefusal } from './livekit-refusals.ts'

type Body = Record<string, unknown>

/** A dial under way at the fake, which the test answers or refuses. */
export interface HeldDial {
  body: Body
  answer(): void
  refuse(sipStatus: number): void
  ringOut(): void
}

/** The rooms of the fake, who is on the phone in them, and how its dials go. */
export class LiveKitDials {
  /** Open rooms, each with the workers sent there and who is on the phone. */
  readonly rooms = new Map<string, { fleets: string[]; metadata: string[]; callers: string[] }>()
  readonly held: HeldDial[] = []
  readonly transfers: { room: string; to: string }[] = []
  /** Whether workers come to the rooms they are sent to. */
  haveWorkers = true
  /** Whether a dial ends with its room; one that was just answered does not. */
  endWithRooms = true
  #next: 'answer' | 'hold' | 'ring out' | number = 'answer'

  /** How dials go from now: answered, refused with a SIP status, unanswered, or as the test decides. */
  go(how: 'answer' | 'hold' | 'ring out' | number) {
    this.#next = how
  }

  dispatch({ room, agentName, metadata }: Body) {
    const entered = this.#enter(text(room))
    entered.fleets.push(text(agentName))
    entered.metadata.push(text(metadata))
    return { id: `AD_${entered.fleets.length}`, agent_name: agentName, room, metadata }
  }

  async dial(body: Body): Promise<unknown> {
    if (!body['trunk'] && !body['sipTrunkId']) throw new Refusal('invalid_argument', 'missing sip trunk id')
    if (!body['sipCallTo']) throw new Refusal('invalid_argument', 'missing sip callee number')
    if (!body['sipNumber']) throw new Refusal('invalid_argument', 'missing sip number')
    if (!body['roomName']) throw new Refusal('invalid_argument', 'missing room name')
    const room = text(body['roomName'])
    await this.#outcome(body)
    this.#enter(room).callers.push(text(body['participantIdentity']))
    return {
      participant_id: 'PA_1',
      participant_identity: body['participantIdentity'],
      room_name: room,
      sip_call_id: 'SCL_1',
    }
  }

  transfer({ roomName, participantIdentity, transferTo }: Body) {
    const room = this.#room(roomName)
    if (!room.callers.includes(text(participantIdentity)))
      throw new Refusal('not_found', 'participant does not exist')
    if (!/^(?:tel|sips?):/.test(text(transferTo)))
      throw new Refusal(
        'invalid_argument',
        'transfer_to must be a valid SIP(s) or TEL URI (sip:, sips: or tel:)',
      )
    this.transfers.push({ room: text(roomName), to: text(transferTo) })
    return {}
  }

  participants({ room }: Body) {
    const { callers, fleets } = this.#room(room)
    return {
      participants: [
        ...(this.haveWorkers ? fleets : []).map((fleet) => ({ identity: `agent-${fleet}`, kind: 'AGENT' })),
        ...callers.map((identity) => ({ identity, kind: 'SIP' })),
      ],
    }
  }

  deleteRoom({ room }: Body) {
    this.#room(room)
    this.rooms.delete(text(room))
    const inRoom = this.held.filter(({ body }) => this.endWithRooms && body['roomName'] === room)
    for (const dial of inRoom) dial.refuse(487)
    return {}
  }

  #outcome(body: Body): Promise<void> | undefined {
    if (typeof this.#next === 'number') throw sipRefusal(this.#next)
    if (this.#next === 'ring out') throw ringOut()
    if (this.#next === 'answer') return undefined
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.held.push({
      body,
      answer: resolve,
      refuse: (status) => reject(sipRefusal(status)),
      ringOut: () => reject(ringOut()),
    })
    return promise
  }

  #enter(name: string) {
    const room = this.rooms.get(name) ?? { fleets: [], metadata: [], callers: [] }
    this.rooms.set(name, room)
    return room
  }

  #room(name: unknown) {
    const room = this.rooms.get(text(name))
    if (!room) throw new Refusal('not_found', 'requested room does not exist')
    return room
  }
}

/** The end of the ring has no SIP status. */
const ringOut = () => new Refusal('canceled', 'ringing timeout')

const text = (value: unknown) => (typeof value === 'string' ? value : '')
