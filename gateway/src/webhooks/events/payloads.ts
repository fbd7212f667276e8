import type { Environment } from '@switchroom/contract/scopes'
import type { CallSummary } from '@switchroom/contract/sessions'
import { longestWebhookBodyBytes } from '@switchroom/contract/webhook-names'
import type { WebhookEvent } from '@switchroom/contract/webhook-events'
import type { CallSummaries } from '../../calls/sessions/call-summaries.ts'
import type { Database } from '../../database/database.ts'
import { Refusal } from '../../foundation/refusals.ts'
import { codePoints } from '../../foundation/text.ts'
import * as store from './payloads.store.ts'

/** An event as it was written with what it tells of. */
export interface EventRow {
  id: string
  org: string
  env: Environment
  agent: string | null
  call: string | null
  type: WebhookEvent['type']
  at: string
  /** JSON: the log's entry, or what else there is to tell. */
  source: string
}

interface PayloadParts {
  database: Database
  callSummaries: CallSummaries
  /** Where recordings are read. */
  baseUrl: string
}

type Source = Record<string, unknown>
type Data = Record<string, unknown>
/** Undefined if what it tells of is no longer kept. */
type Make = (event: EventRow & { call: string }, source: Source) => Promise<Data | undefined>

const longestText = 10_000

/** What is sent of each event. */
export class Payloads {
  readonly #parts: PayloadParts
  readonly #ofCalls: Readonly<Record<string, Make>>

  constructor(parts: PayloadParts) {
    this.#parts = parts
    const begun: Make = async (event) => {
      const call = await this.#begunCall(event)
      return call && { ...call }
    }
    const reported: Make = (event, source) => this.#reported(event, source)
    this.#ofCalls = {
      'call.dialing': begun,
      'call.started': begun,
      'call.ended': (event) => this.#ended(event),
      'recording.stored': async ({ call }, { bytes, duration_ms }) => ({
        call,
        bytes,
        duration_ms,
        url: this.#recordingUrl(call),
      }),
      'callback.requested': async ({ call }, source) => callbackIn(call, dataIn(source)),
      'message.received': (event, source) => this.#received(event, dataIn(source)),
      'message.sent': reported,
      'message.delivered': reported,
      'message.read': reported,
      'message.failed': reported,
    }
  }

  /** The JSON of an event's request, or undefined if what it tells of is no longer kept. */
  async bodyOf(event: EventRow): Promise<string | undefined> {
    const data = await this.#dataOf(event)
    if (!data) return undefined
    const { type, at: timestamp, env, agent, call } = event
    const body: WebhookEvent = { type, timestamp, env, agent, call, data }
    return JSON.stringify(body)
  }

  async #dataOf(event: EventRow): Promise<Data | undefined> {
    const source = JSON.parse(event.source) as Source
    const { agent, call } = event
    if (call === null) return 'number' in source ? { ...source, agent } : source
    const make = this.#ofCalls[event.type]
    if (!make) throw new Error(`${event.type} is told of calls`)
    return make({ ...event, call }, source)
  }

  #begunCall({ call, org, env }: EventRow & { call: string }): Promise<store.BegunCall | undefined> {
    return store.findBegunCall(this.#parts.database, call, org, env)
  }

  async #ended(event: EventRow & { call: string }): Promise<Data | undefined> {
    const { database, callSummaries } = this.#parts
    const { call } = event
    const begun = await this.#begunCall(event)
    const summary = await callSummaries.read(event, call).catch((error: unknown) => {
      if (error instanceof Refusal) return undefined
      throw error
    })
    if (!begun || summary?.ended_at == null) return undefined
    const recording = await store.findRecording(database, call)
    const { ended_at, reason } = summary
    return {
      ...begun,
      ended_at,
      duration_s: Math.max(0, ended_at - begun.started_at),
      reason,
      summary: withinLimit(summary),
      recording: recording ? { ...recording, url: this.#recordingUrl(call) } : null,
    }
  }

  async #received(event: EventRow & { call: string }, data: Data): Promise<Data | undefined> {
    const call = await this.#begunCall(event)
    if (!call) return undefined
    return {
      call: call.call,
      contact: call.contact,
      number: call.to,
      message_id: textIn(data['messageId']),
      text: cutText(data['text']),
      name: textIn(data['name']),
      form: textIn(data['type']),
    }
  }

  /** The org's number is where the contact wrote to. */
  async #reported(event: EventRow & { call: string }, source: Source): Promise<Data | undefined> {
    const { seq, part, platform_id, error } = source
    const call = await this.#begunCall(event)
    const entry = await store.findEntry(this.#parts.database, event.call, Number(seq))
    if (!call || entry === undefined) return undefined
    const said = dataIn(JSON.parse(entry) as Source)
    return {
      call: call.call,
      contact: call.contact,
      number: call.direction === 'inbound' ? call.to : call.from,
      message_id: textIn(said['messageId']),
      text: cutText(said['text']),
      part,
      platform_id,
      error,
    }
  }

  #recordingUrl(call: string): string {
    return `${this.#parts.baseUrl}/v1/calls/${call}/recording`
  }
}

const dataIn = ({ data }: Source): Data => (typeof data === 'object' && data !== null ? { ...data } : {})

const textIn = (value: unknown) => (typeof value === 'string' ? value : null)

const cutText = (value: unknown) =>
  typeof value === 'string' ? codePoints(value).slice(0, longestText).join('') : null

const callbackIn = (call: string, { number, when, note, via, contact }: Data): Data => ({
  call,
  number: textIn(number),
  when: textIn(when),
  note: textIn(note),
  via: textIn(via),
  contact: textIn(contact),
})

/** A call may have twenty thousand entries: lists that are too long are left out together, so that none is read as whole. */
function withinLimit({ turns, tools, errors, usage, callbacks }: CallSummary) {
  const lists = { turns, tools, errors, usage, callbacks }
  const isTooLong = Buffer.byteLength(JSON.stringify(lists)) > longestWebhookBodyBytes * 0.75
  return isTooLong
    ? { turns: [], tools: [], errors: [], usage: [], callbacks: [], truncated: true }
    : { ...lists, truncated: false }
}
