import {
  CreateSIPDispatchRuleRequest,
  ParticipantInfo_Kind,
  SIPDispatchRuleInfo,
  type SIPInboundTrunkInfo,
  SIPMediaConfig,
  SIPOutboundConfig,
  SIPTransport,
} from '@livekit/protocol'
import {
  AgentDispatchClient,
  type CreateSipParticipantOptions,
  RoomServiceClient,
  SipClient,
  SipCallError,
  TwirpError,
} from 'livekit-server-sdk'
import { sentenceOfSip } from '../failure-words.ts'
import { reasons } from '../sip/message.ts'
import { encryptionOf } from './encryption.ts'
import { writtenNumber } from '../number-form.ts'
import { MediaError, type OutboundTrunk, type PlacedCall } from '../plane.ts'

const timeoutS = 10
/** How long the far end may ring. */
export const ringS = 60
/** An unanswered dial is reported at the end of the ring; the server may take a moment to say it. */
const dialTimeoutS = ringS + 15
const longestSentence = 500
/** Of what it says for itself, the part that says nothing. */
const preamble = /^twirp error \w+: /

export interface LiveKitAddress {
  url: string
  key: string
  secret: string
}

/** What a second person is dialled by. */
export interface SecondDial {
  to: string
  from: string
  trunk: OutboundTrunk
  /** The number of the caller who is forwarded. */
  caller?: string
}

/** What we ask of a LiveKit server; failures are `MediaError`, but for a dial's own. */
export class LiveKitServer {
  readonly #sip: RuleClient
  readonly #dispatch: AgentDispatchClient
  readonly #rooms: RoomServiceClient

  constructor({ url, key, secret }: LiveKitAddress) {
    // Another region would be asked again for what the first may have done: a call placed twice.
    const options = { requestTimeout: timeoutS, failover: false }
    this.#sip = new RuleClient(url, key, secret, options)
    this.#dispatch = new AgentDispatchClient(url, key, secret, options)
    this.#rooms = new RoomServiceClient(url, key, secret, options)
  }

  trunks = () => asked(this.#sip.listSipInboundTrunk())
  rules = () => asked(this.#sip.listSipDispatchRule())

  createTrunk(trunk: SIPInboundTrunkInfo) {
    const { name, numbers, allowedAddresses, authUsername, authPassword, mediaEncryption } = trunk
    return asked(
      this.#sip.createSipInboundTrunk(name, numbers, {
        allowedAddresses,
        authUsername,
        authPassword,
        mediaEncryption,
        ringingTimeout: ringS, // by default an unanswered caller hears it ring for three minutes
      }),
    )
  }

  replaceTrunk = (trunk: SIPInboundTrunkInfo) =>
    asked(this.#sip.updateSipInboundTrunk(trunk.sipTrunkId, trunk))
  deleteTrunk = (trunk: SIPInboundTrunkInfo) => asked(this.#sip.deleteSipTrunk(trunk.sipTrunkId))

  createRule = (rule: SIPDispatchRuleInfo) => asked(this.#sip.createRule(rule))
  /** The whole rule, because an update of fields does not know whose workers it calls. */
  replaceRule = (rule: SIPDispatchRuleInfo) =>
    asked(this.#sip.updateSipDispatchRule(rule.sipDispatchRuleId, rule))
  deleteRule = (rule: SIPDispatchRuleInfo) => asked(this.#sip.deleteSipDispatchRule(rule.sipDispatchRuleId))

  sendWorker = (room: string, fleet: string, metadata: string) =>
    asked(this.#dispatch.createDispatch(room, fleet, { metadata }))

  /** Whether a worker is in the room. */
  async hasWorker(room: string): Promise<boolean> {
    const participants = await this.#rooms.listParticipants(room).catch((error: unknown) => {
      if (error instanceof TwirpError && error.status === 404) return []
      throw mediaError(error)
    })
    return participants.some(({ kind }) => kind === ParticipantInfo_Kind.AGENT)
  }

  /** The names of the open rooms. */
  async rooms(): Promise<string[]> {
    const rooms = await asked(this.#rooms.listRooms())
    return rooms.map(({ name }) => name)
  }

  /** Answers when the far end did; fails with what it said instead. */
  dial(room: string, { maxDurationS: maxCallDuration, ...dial }: PlacedCall): Promise<void> {
    return this.#dial(room, dial, { maxCallDuration })
  }

  /** Brings a second person into a room; fails with a `MediaError` if the call is not answered. */
  async bring(room: string, participantIdentity: string, dial: SecondDial): Promise<void> {
    try {
      await this.#dial(room, dial, { participantIdentity })
    } catch (error) {
      throw notAnswered(error, dial.trunk.auth_password)
    }
  }

  /** Whether they were there. */
  remove = (room: string, identity: string) => found(this.#rooms.removeParticipant(room, identity))

  async #dial(room: string, { to, from, trunk, caller }: SecondDial, options: CreateSipParticipantOptions) {
    const { hostname, auth_username: authUsername, auth_password: authPassword } = trunk
    if (trunk.ca_certificates !== undefined || trunk.client_certificate !== undefined)
      throw new MediaError('a LiveKit server cannot use the certificates of an account: take them off')
    const transport = transports[trunk.transport]
    const own = writtenNumber(from, trunk)
    const forwarded = trunk.identity === 'diversion' ? caller : undefined
    const fromNumber = forwarded === undefined ? own : writtenNumber(forwarded, trunk)
    const { encryption = 'off' } = trunk
    const address = `<sip:${own}@${trunk.from_domain ?? hostname.replace(/:\d+$/, '')}>`
    await this.#sip.createSipParticipant(
      '',
      writtenNumber(to, trunk),
      room,
      {
        ...options,
        fromNumber,
        ...(encryption !== 'off' && { media: new SIPMediaConfig({ encryption: encryptionOf[encryption] }) }),
        ...(trunk.identity === 'p_asserted_identity' && { headers: { 'P-Asserted-Identity': address } }),
        ...(forwarded !== undefined && {
          headers: { Diversion: `${address};reason=deflection;counter=1` },
        }),
        waitUntilAnswered: true,
        ringingTimeout: ringS,
        timeout: dialTimeoutS,
      },
      new SIPOutboundConfig({
        hostname,
        transport,
        authUsername,
        authPassword,
        ...(trunk.from_domain !== undefined && { fromHost: trunk.from_domain }),
      }),
    )
  }

  async transfer(room: string, to: string): Promise<void> {
    const participants = await asked(this.#rooms.listParticipants(room))
    const caller = participants.find(({ kind }) => kind === ParticipantInfo_Kind.SIP)
    if (!caller) throw new MediaError('no phone is in the call')
    const patience = { ringingTimeout: ringS, timeout: dialTimeoutS }
    try {
      await this.#sip.transferSipParticipant(room, caller.identity, to, patience)
    } catch (error) {
      throw notAnswered(error)
    }
  }

  /** Whether it existed. */
  deleteRoom = (room: string) => found(this.#rooms.deleteRoom(room))
}

const transports = {
  udp: SIPTransport.SIP_TRANSPORT_UDP,
  tcp: SIPTransport.SIP_TRANSPORT_TCP,
  tls: SIPTransport.SIP_TRANSPORT_TLS,
}

/** The library's own way to make a rule cannot say which numbers it is for. */
class RuleClient extends SipClient {
  readonly #url: string

  constructor(...parameters: ConstructorParameters<typeof SipClient>) {
    super(...parameters)
    this.#url = parameters[0]
  }

  async createRule(dispatchRule: SIPDispatchRuleInfo): Promise<SIPDispatchRuleInfo> {
    const answer = await fetch(new URL('/twirp/livekit.SIP/CreateSIPDispatchRule', this.#url), {
      method: 'POST',
      headers: { ...(await this.authHeader({}, { admin: true })), 'content-type': 'application/json' },
      body: new CreateSIPDispatchRuleRequest({ dispatchRule }).toJsonString(),
      signal: AbortSignal.timeout(timeoutS * 1000),
    })
    const text = await answer.text()
    if (!answer.ok) throw new TwirpError(answer.statusText, sentenceIn(text), answer.status)
    return SIPDispatchRuleInfo.fromJsonString(text, { ignoreUnknownFields: true })
  }
}

function sentenceIn(text: string): string {
  try {
    const { msg } = JSON.parse(text) as { msg?: unknown }
    if (typeof msg === 'string') return msg
  } catch {
    // It answered something else than its usual words.
  }
  return text
}

async function asked<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    throw mediaError(error)
  }
}

/** Whether what was to be taken away was there. */
async function found(taking: Promise<unknown>): Promise<boolean> {
  try {
    await taking
    return true
  } catch (error) {
    if (error instanceof TwirpError && error.status === 404) return false
    throw mediaError(error)
  }
}

/** Why somebody who was dialled did not come; what the server says may repeat the password that it was given. */
export function notAnswered(error: unknown, password = ''): MediaError {
  if (error instanceof SipCallError && error.sipStatusCode !== undefined)
    return new MediaError(sentenceOfSip(error.sipStatusCode, reasonIn(error)))
  // The end of the ring is reported without a SIP status.
  if (error instanceof TwirpError && error.code === 'canceled')
    return new MediaError(`there was no answer within ${ringS} s`)
  const failure = error instanceof MediaError ? error : mediaError(error, dialTimeoutS)
  return password === '' ? failure : new MediaError(failure.message.replaceAll(password, '…'))
}

/** A far end that gave no reason is reported by a status name: SIP_STATUS_BUSY_HERE. */
export function reasonIn({ sipStatusCode = 0, sipStatus = '' }: SipCallError): string {
  const [, name] = /^SIP_STATUS_(?:GLOBAL_)?([A-Z_]+)$/.exec(sipStatus) ?? []
  if (name === undefined) return sipStatus
  const usual = reasons[sipStatusCode]
  if (usual !== undefined) return usual
  return name.replaceAll('_', ' ').replaceAll(/(?<=[A-Z])[A-Z]+/g, (rest) => rest.toLowerCase())
}

function mediaError(error: unknown, withinS = timeoutS): MediaError {
  if (error instanceof SipCallError || error instanceof TwirpError) {
    // What it says of a signature repeats the token.
    if (error.status === 401)
      return new MediaError('the media server refused the key and secret it is asked with')
    const sentence = error.message.trim().replace(preamble, '').slice(0, longestSentence)
    return new MediaError(sentence || `the media server answered ${error.status}`)
  }
  if (error instanceof Error && error.name === 'TimeoutError')
    return new MediaError(`the media server did not answer within ${withinS} seconds`)
  const { cause } = error as { cause?: { code?: unknown } }
  const code = typeof cause?.code === 'string' ? `: ${cause.code}` : ''
  return new MediaError(`the media server could not be reached${code}`)
}
