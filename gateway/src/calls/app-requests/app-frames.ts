import type {
  CallFrame,
  RequestCallback,
  Say,
  SendTones,
  TransferCall,
} from '@switchroom/contract/call-frames'
import type { NewEntry } from '@switchroom/contract/log'
import type { FrameSource } from '../../agents/apps/frames.ts'
import type { Database } from '../../database/database.ts'
import { outsideList } from '../../foundation/caller.ts'
import { badRequest, conflict, notFound } from '../../foundation/refusals.ts'
import { newId } from '../../foundation/secrets.ts'
import { codePoints } from '../../foundation/text.ts'
import { holdWithAgent, phoneForm, requestCallback } from '../callbacks/requesting.ts'
import { numberToOptOut, type RecordOptOut } from '../contacts/opting-out.ts'
import { transportOf } from '../records/call-object.ts'
import type { Log } from '../log/log.ts'
import { callLog } from '../log/stamping.ts'
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

/** What apps send about calls of their org and environment. */
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

  /** A call of another org, of the other environment or of another person's copy is as one that never was. */
  async #callOf({ caller, holder }: FrameSource, id: string): Promise<store.SpokenOf> {
    const { org, env, agents } = caller
    const call = await store.findSpokenOf(this.#parts.database, id, { org, env, holder })
    if (!call) throw notFound(`there is no call ${id}`)
    if (agents.length > 0 && !agents.includes(call.agent)) throw outsideList(caller)
    return call
  }

  /** Written calls carry what is said; of a spoken one, whoever runs it is told to say it. */
  async #say(call: store.SpokenOf, { text }: Say) {
    if (text.trim() === '') throw badRequest('text: is blank')
    if (codePoints(text).length > longestText)
      throw badRequest(`text: has more than ${longestText} characters`)
    const messageId = newId('msg', 12)
    const said = isWritten(call)
      ? { type: 'agent.message', data: { text, messageId, source: 'say' } }
      : { type: 'say.requested', data: { text, messageId } }
    await this.#append(call, said, { type: 'message.confirmed', data: { messageId } })
  }

  async #append(call: store.SpokenOf, ...entries: NewEntry[]) {
    await this.#parts.log.append(callLog(call), entries)
  }

  /** In both logs or in none. */
  async #requestCallback(call: store.SpokenOf, { number, when, note }: RequestCallback) {
    if (!phoneForm.test(number)) throw badRequest('number is one in international form, as +15550100100')
    const { database, log } = this.#parts
    await database.transaction(async (tx) => {
      const asked = { ...call, transport: transportOf(call.channel) }
      await holdWithAgent(tx, log, asked)
      await requestCallback(tx, log, asked, { number, when, note, via: 'agent' })
    })
  }

  /** Whoever runs the call carries it out, and writes down how it went. */
  async #transfer(call: store.SpokenOf, { to, kind }: TransferCall) {
    if (isWritten(call)) throw conflict(`call ${call.id} is written, and so cannot be transferred`)
    if (!phoneForm.test(to)) throw badRequest('to is a number in international form, as +15550100100')
    await this.#append(call, { type: 'transfer.requested', data: { to, kind } })
  }

  async #sendTones(call: store.SpokenOf, { digits }: SendTones) {
    const { id, channel } = call
    if (channel !== 'phone') throw conflict(`call ${id} is no phone call, and so cannot be sent tones`)
    await this.#append(call, { type: 'tones.requested', data: { digits } })
  }

  async #optOut(call: store.SpokenOf) {
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

const isWritten = ({ channel }: store.SpokenOf) => channel === 'chat' || channel === 'msgapp'
