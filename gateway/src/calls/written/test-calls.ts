import { greetingFor } from '@switchroom/session/greeting'
import type { SettingsScope } from '../../agents/scope.ts'
import type { Database, Transaction } from '../../database/database.ts'
import { Refusal } from '../../foundation/refusals.ts'
import type { Accounts } from '../../providers/accounts/accounts.ts'
import type { NamedOrg } from '../../providers/lent-keys/lent-keys.ts'
import { callLog } from '../log/entries.ts'
import type { LiveLogs } from '../log/live-logs.ts'
import type { Log } from '../log/log.ts'
import { newTestCallId } from '../log/test-call-ids.ts'
import type { CallRecords, RanScope, ResolvedSettings } from '../records/records.ts'
import { configRun, layersOf } from '../resolution/resolved-config.ts'
import { refuseUnanswered } from './answerable.ts'
import type { CallModels } from './call-models.ts'
import type { Chats } from './chats.ts'
import { firstEntries } from './first-entries.ts'
import { FollowedLog } from './followed-log.ts'
import { findWritten, type WrittenCallRecord } from './written-calls.store.ts'
import type { WrittenCalls } from './written-calls.ts'

export interface TestCallsParts {
  database: Database
  records: CallRecords
  models: CallModels
  accounts: Accounts
  log: Log
  liveLogs: LiveLogs
  calls: WrittenCalls
  chats: Pick<Chats, 'say'>
  /** This gateway's name. */
  gateway: string
}

export type TestCallRecord = WrittenCallRecord

/** How a call begins that no caller makes. */
export interface NewTestCall {
  settings: readonly RanScope[]
  metadata: Readonly<Record<string, unknown>>
  alsoInTransaction: (tx: Transaction, call: string) => Promise<void>
}

/** Written calls that runs of scenarios make: like chats, but without a contact, and of no count. */
export class TestCalls {
  readonly #parts: TestCallsParts

  constructor(parts: TestCallsParts) {
    this.#parts = parts
  }

  /** What calls of a scope run on now, outside any canary; refused if nobody would answer them. */
  async resolve(org: NamedOrg, scope: SettingsScope): Promise<ResolvedSettings> {
    const resolution = await this.#parts.records.resolve(scope, null, 'chat')
    await refuseUnanswered(this.#parts, org, scope, resolution)
    return resolution
  }

  async open(org: NamedOrg, scope: SettingsScope, wanted: NewTestCall): Promise<TestCallRecord> {
    const { records, calls, gateway } = this.#parts
    const { metadata, settings } = wanted
    const call = newTestCallId()
    const { traceparent } = await records.begin(scope, call, {
      channel: 'chat',
      metadata,
      settings,
      runner: gateway,
      entries: (resolution) => firstEntries(resolution, metadata),
      judge: (resolution) => refuseUnanswered(this.#parts, org, scope, resolution),
      alsoInTransaction: (tx) => wanted.alsoInTransaction(tx, call),
    })
    const { slug } = org
    const record: TestCallRecord = { ...scope, id: call, slug, contact: null, channel: 'chat', traceparent }
    calls.run(record, true)
    return record
  }

  /** One that was opened before, perhaps by another gateway. */
  find(call: string): Promise<TestCallRecord | undefined> {
    return findWritten(this.#parts.database, call)
  }

  /** Whether the model speaks first. */
  async isGreetedByModel(record: TestCallRecord, metadata: Readonly<Record<string, unknown>>) {
    const resolution = await this.#parts.records.resolve(record, record.id, 'chat')
    return greetingFor(configRun(layersOf(resolution)).greeting, metadata)?.reply !== undefined
  }

  follow(record: TestCallRecord, onGrown: () => void): FollowedLog {
    return new FollowedLog(record.id, this.#parts, onGrown)
  }

  /** Said once, however often it is sent under its id. */
  async say(record: TestCallRecord, text: string, id: string) {
    await unlessEnded(this.#parts.chats.say({ record }, { type: 'message', text, id }))
  }

  async hangUp(record: TestCallRecord) {
    const ended = { type: 'call.ended', data: { reason: 'hangup', by: 'caller' } }
    await unlessEnded(this.#parts.log.append(callLog(record), [ended]))
  }
}

/** The other side may hang up at any moment: the log tells of it. */
const unlessEnded = (work: Promise<unknown>) =>
  work.catch((error: unknown) => {
    if (!(error instanceof Refusal) || error.apiCode !== 'CALL_ENDED') throw error
  })
