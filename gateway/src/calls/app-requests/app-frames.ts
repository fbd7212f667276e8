import type {
  CallFrame,
  RequestCallback,
  Say,
  SendTones,
  TransferCall,
} from '@switchroom/contract/call-frames'
import { sipExtensionForm } from '@switchroom/contract/extensions'
import { sipAddressForm } from '@switchroom/contract/placing'
import type { NewEntry } from '@switchroom/contract/log'
import type { FrameSource } from '../../agents/apps/frames.ts'
import type { Database } from '../../database/database.ts'
import { outsideList } from '../../foundation/caller.ts'
import { badRequest, conflict, notFound } from '../../foundation/refusals.ts'
import { newId } from '../../foundation/secrets.ts'
import { codePoints } from '../../foundation/text.ts'
import { lockWithAgentLog, phoneForm, requestCallback } from '../callbacks/callback-requests.ts'
import { numberToOptOut, type RecordOptOut } from '../contacts/opt-out.ts'
import { transportOf } from '../records/call-object.ts'
import type { Log } from '../log/log.ts'
import { callLog } from '../log/entries.ts'
import { isTestCall } from '../log/test-call-ids.ts'
import type { AppRequests } from './app-requests.ts'
import * as store from './app-requests.store.ts'
import type { Tools } from './tools.ts'

const longestText = 8000

export interface AppFramesParts {
  database: Database
  log: Log
  appRequests: AppRequests
  tools: Tools
  recordOptOut: RecordOptOut
}

/** Frames that apps send about calls of their org and environment. */
export class AppFrames {
  readonly #parts: AppFramesParts

  constructor(parts: AppFramesParts) {
    this.#parts = parts
  }

  async take(from: FrameSource, frame: CallFrame) {
    const call = await this.#callOf(from, frame.call)
    if (frame.type === 'call.say') await this.#say(call, frame)
    else if (frame.type === 'call.end') await this.#append(call, { type: 'call.ended', data: byApp })
    else if (frame.type === 'call.callback') await this.#requestCallback(call, frame)
    else if (frame.type === 'call.opt_out') await this.#optOut(call)
    else if (frame.type === 'call.transfer') await this.#transfer(call, frame)
    else if (frame.type === 'call.tones') await this.#sendTones(call, frame)
    else if (frame.type === 'tool.result') await this.#parts.tools.take(from, call, frame)
    else await this.#parts.appRequests.settle(frame)
  }

  /** A call of another org, environment or person's copy of the agent is refused like an unknown one. */
  async #callOf({ caller, holder }: FrameSource, id: string): Promise<store.NamedCall> {
    const { org, env, agents } = caller
    const call = await store.findNamedCall(this.#parts.database, id, { org, env, holder })
    if (!call) throw notFound(`there is no call ${id}`)
    if (agents.length > 0 && !agents.includes(call.agent)) throw outsideList(caller)
    return call
  }

  /** A written call logs the message; of a spoken one the worker is asked to say it. */
  async #say(call: store.NamedCall, { text }: Say) {
    if (text.trim() === '') throw badRequest('text: is blank')
    if (codePoints(text).length > longestText)
      throw badRequest(`text: has more than ${longestText} characters`)
    const messageId = newId('msg', 12)
    const said = isWritten(call)
      ? { type: 'agent.message', data: { text, messageId, source: 'say' } }
      : { type: 'say.requested', data: { text, messageId } }
    await this.#append(call, said, { type: 'message.confirmed', data: { messageId } })
  }

  async #append(call: store.NamedCall, ...entries: NewEntry[]) {
    await this.#parts.log.append(callLog(call), entries)
  }

  /** In the call's log and the agent's, or in neither. */
  async #requestCallback(call: store.NamedCall, { number, when, note }: RequestCallback) {
    if (!phoneForm.test(number)) throw badRequest('number is one in international form, as +15550100100')
    const { database, log } = this.#parts
    await database.transaction(async (tx) => {
      const asked = { ...call, transport: transportOf(call.channel) }
      await lockWithAgentLog(tx, log, asked)
      await requestCallback(tx, log, asked, { number, when, note, via: 'agent' })
    })
  }

  /** The worker that runs the call carries it out and logs the result. */
  async #transfer(call: store.NamedCall, { to, kind }: TransferCall) {
    if (isWritten(call) && !isTestCall(call.id))
      throw conflict(`call ${call.id} is written, and so cannot be transferred`)
    const isKnown = phoneForm.test(to) || sipExtensionForm.test(to) || sipAddressForm.test(to)
    if (!isKnown) throw badRequest(numberOrOfPeer)
    if (isTestCall(call.id)) return this.#append(call, ...transferOfTest(to, kind))
    await this.#append(call, { type: 'transfer.requested', data: { to, kind } })
  }

  async #sendTones(call: store.NamedCall, { digits }: SendTones) {
    const { id, channel } = call
    if (channel !== 'phone') throw conflict(`call ${id} is no phone call, and so cannot be sent tones`)
    await this.#append(call, { type: 'tones.requested', data: { digits } })
  }

  async #optOut(call: store.NamedCall) {
    const number = numberToOptOut(call)
    const { database, log, recordOptOut } = this.#parts
    await database.transaction(async (tx) => {
      await recordOptOut(tx, { org: call.org, number, call: call.id })
      await log.lock(tx, call.id)
      await log.appendIn(tx, callLog(call), [{ type: 'call.opt_out', data: { number } }])
    })
  }
}

const byApp = { reason: 'hangup', by: 'app' }

/** A test rings nobody: the caller counts as put through, and is gone. */
const transferOfTest = (to: string, kind: TransferCall['kind']): NewEntry[] => [
  { type: 'transfer.requested', data: { to, kind } },
  { type: 'call.transferred', data: { to, kind, ok: true } },
  { type: 'call.ended', data: byApp },
]

const numberOrOfPeer =
  'to is a number in international form, as +15550100100, an extension, as 201, or a SIP address, as sip:desk@pbx.example'

const isWritten = ({ channel }: store.NamedCall) => channel === 'chat' || channel === 'msgapp'
