import type { CallFrame, RouteCall } from '@switchroom/contract/call-frames'
import type { FoundPassages, Passage, SearchInCall } from '@switchroom/contract/knowledge'
import type { Call as CallFields, Entry, LineTurn, Transport } from '@switchroom/contract/log'
import { joined } from './bot-text.ts'
import { Transfers, type TransferOutcome } from './transfers.ts'

/** The parts of the connection that a call uses. */
export interface CallDoor {
  send: (frame: CallFrame | RouteCall) => void
  entries: (call: string) => Promise<Entry[]>
  search: (call: string, asked: SearchInCall) => Promise<FoundPassages>
}

/** Something that was said in a conversation. */
export interface Turn {
  who: 'contact' | 'agent' | 'supervisor'
  text: string
  messageId: string
  /** Epoch milliseconds. */
  at: number
  role: 'user' | 'assistant'
}

export interface CallbackDetails {
  /** In the person's own words. */
  when?: string | undefined
  note?: string | undefined
}

export interface TransferDetails {
  /** `warm` brings the other person into the call, `cold` has the carrier dial them and leaves the call. Default: `warm`. */
  kind?: 'warm' | 'cold' | undefined
}

export interface SearchDetails {
  /** How many passages at most: 1 to 50. Default: 5. */
  k?: number | undefined
  /** From 0 to 1: what scores less is left out. Default: 0. */
  minScore?: number | undefined
}

/** A call that an agent or a line of this process drives. Instants are epoch milliseconds, `duration` is seconds. */
export class Call implements CallFields {
  readonly id: string
  agent: string
  from: string | null = null
  to: string | null = null
  direction: 'inbound' | 'outbound' = 'inbound'
  transport: Transport = 'chat'
  metadata: Record<string, unknown> = {}
  language: string | null = null
  /** What was dialled after the number. */
  extension: string | null = null
  /** The line that handed the call over. */
  routedFrom: string | null = null
  lineTranscript: LineTurn[] = []
  startedAt = 0
  // Absent until the call has ended.
  declare endedAt?: number
  declare duration?: number
  declare reason?: string
  /** Whether a run of scenarios made it, and no caller. */
  declare test?: true
  /** What the bot has said so far of the reply that it is giving, or gave last. */
  botText = ''
  readonly #door: CallDoor
  readonly #transfers = new Transfers()
  #botMessage: string | undefined

  constructor(id: string, agent: string, door: CallDoor) {
    this.id = id
    this.agent = agent
    this.#door = door
  }

  /** Said to the contact as it is, without asking the model. */
  say(text: string): void {
    this.#door.send({ type: 'call.say', call: this.id, text })
  }

  end(): void {
    this.#door.send({ type: 'call.end', call: this.id })
  }

  /** Records a callback request; dials nothing. */
  callback(number: string, { when, note }: CallbackDetails = {}): void {
    this.#door.send({
      type: 'call.callback',
      call: this.id,
      number,
      ...(when !== undefined && { when }),
      ...(note !== undefined && { note }),
    })
  }

  /** Puts the contact on the do-not-call list. */
  optOut(): void {
    this.#door.send({ type: 'call.opt_out', call: this.id })
  }

  /** Transfers the caller, on the phone or in a browser, to another number. Resolves with what happened; never rejects. */
  transfer(to: string, { kind = 'warm' }: TransferDetails = {}): Promise<TransferOutcome> {
    const { request, outcome } = this.#transfers.begin(to, kind)
    this.#door.send({ type: 'call.transfer', call: this.id, to, kind, request })
    return outcome
  }

  /** Presses keys down the line of a phone call: 0 to 9, *, #, A to D, up to 32 of them. */
  sendTones(digits: string): void {
    this.#door.send({ type: 'call.tones', call: this.id, digits })
  }

  /**
   * Searches a knowledge base: one that the settings of the call name, or any with a key that opens `knowledge`.
   * The passages, best first; the call's log says what was found.
   */
  async search(base: string, query: string, { k, minScore }: SearchDetails = {}): Promise<Passage[]> {
    const how = { ...(k !== undefined && { k }), ...(minScore !== undefined && { min_score: minScore }) }
    return (await this.#door.search(this.id, { base, query, ...how })).passages
  }

  /** What was said so far, oldest first. */
  async history(): Promise<Turn[]> {
    return (await this.entries()).flatMap(turnOf)
  }

  /** The call's whole log. */
  entries(): Promise<Entry[]> {
    return this.#door.entries(this.id)
  }

  /** For the connection: updates the call's fields. */
  learn(fields: Partial<CallFields>): void {
    const { id: _same, ...rest } = fields
    Object.assign(this, rest)
  }

  /** For the connection: what became of a transfer, or the end of the call. */
  transferSettled(event: string, payload: Readonly<Record<string, unknown>>): void {
    if (event === 'call.transferred') this.#transfers.happened(payload)
    else if (event === 'call.ended') this.#transfers.endAll('the call has ended')
  }

  /** For the connection: the gateway refused what was sent under this name. */
  refused(request: string, why: string): void {
    this.#transfers.refused(request, why)
  }

  /** For the connection: the bot begins a reply. */
  botBegins(messageId: string): void {
    if (this.#botMessage === messageId) return
    this.#botMessage = messageId
    this.botText = ''
  }

  /** For the connection: the bot said another word. */
  botSays(messageId: string, word: string): void {
    this.botBegins(messageId)
    this.botText = joined(this.botText, word)
  }
}

function turnOf({ type, ts, data }: Entry): Turn[] {
  const isContact = type === 'user.message'
  if (!isContact && type !== 'agent.message') return []
  const { text, messageId, source } = data as { text: string; messageId: string; source?: string }
  const who = isContact ? 'contact' : source === 'human' ? 'supervisor' : 'agent'
  return [{ who, text, messageId, at: Math.round(ts * 1000), role: isContact ? 'user' : 'assistant' }]
}

/** A conversation on the messaging channel. */
export class MessagingSession {
  /** The call's id. */
  readonly id: string
  readonly contactPhone: string
  readonly contactName: string | null
  readonly #call: Call

  constructor(
    call: Call,
    { contactPhone, contactName }: { contactPhone: string; contactName: string | null },
  ) {
    this.id = call.id
    this.contactPhone = contactPhone
    this.contactName = contactName
    this.#call = call
  }

  /** What was said so far, oldest first. */
  history(): Promise<Turn[]> {
    return this.#call.history()
  }

  /** The conversation's whole log. */
  entries(): Promise<Entry[]> {
    return this.#call.entries()
  }
}
