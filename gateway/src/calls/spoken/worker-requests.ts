import type { NewEntry } from '@switchroom/contract/log'
import type { FoundPassages, LookUpInCall } from '@switchroom/contract/knowledge'
import type {
  CallInstructions,
  PreparedTurn,
  PrepareTurn,
  RunTools,
  ToolOutcomes,
} from '@switchroom/contract/worker'
import type { Database, Transaction } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import { unavailable } from '../../foundation/refusals.ts'
import type { AppRequests } from '../app-requests/app-requests.ts'
import type { Tools } from '../app-requests/tools.ts'
import type { CallBases } from '../knowledge/call-bases.ts'
import { callOf } from '../records/call-object.ts'
import type { Lines } from '../lines/lines.ts'
import type { Log } from '../log/log.ts'
import { callLog } from '../log/entries.ts'
import type { Memories } from '../memory/memories.ts'
import type { EntryAppender } from './entry-appender.ts'
import * as store from './spoken-calls.store.ts'

export interface WorkerRequestsParts {
  database: Database
  log: Log
  entryAppender: EntryAppender
  appRequests: Pick<AppRequests, 'appOf' | 'prepare'>
  tools: Pick<Tools, 'run'>
  lines: Lines
  memories: Pick<Memories, 'factsOf'>
  callBases: Pick<CallBases, 'named' | 'lookUp'>
}

/** What a worker asks of the app that its call is assigned to. */
export class WorkerRequests {
  readonly #parts: WorkerRequestsParts

  constructor(parts: WorkerRequestsParts) {
    this.#parts = parts
  }

  /** The app's current prompt and tools, and the facts about the contact. */
  async instructions(caller: Caller, id: string): Promise<CallInstructions> {
    const { database, entryAppender, appRequests, memories, callBases } = this.#parts
    const found = await entryAppender.find(caller, id)
    const [app, facts, bases, record] = await Promise.all([
      appRequests.appOf(found),
      memories.factsOf(found),
      callBases.named(found),
      store.findRecord(database, id),
    ])
    if (!app || !record)
      throw unavailable(
        `no app holds ${found.agent} in ${found.env} at the moment: connect one, and try again`,
      )
    const { prompt = null, tools, analysis } = app.offer
    const send_audio_metrics = analysis?.send_audio_metrics === true
    const known = { contact: found.contact, facts, ...(bases.length > 0 && { bases }) }
    return { prompt, tools, ...known, send_audio_metrics, call: callOf(record) }
  }

  /** In a base that the call's settings name. */
  async lookUp(caller: Caller, id: string, asked: LookUpInCall, signal: AbortSignal): Promise<FoundPassages> {
    const { entryAppender, callBases } = this.#parts
    return callBases.lookUp(await entryAppender.find(caller, id), asked, signal)
  }

  /** A repeated request answers the same: no tool runs twice. */
  async runTools(caller: Caller, id: string, wanted: RunTools): Promise<ToolOutcomes> {
    const { database, entryAppender, appRequests, tools } = this.#parts
    const app = await appRequests.appOf(await entryAppender.find(caller, id))
    const call = await database.transaction(async (tx) => {
      const locked = await entryAppender.lock(tx, caller, id)
      await this.#keepAsked(tx, locked, wanted, app?.instance)
      return locked
    })
    return { outcomes: await tools.run(call, wanted.calls, { tools: app?.offer.tools }) }
  }

  async prepare(caller: Caller, id: string, { turn }: PrepareTurn): Promise<PreparedTurn> {
    const { database, entryAppender, appRequests } = this.#parts
    const call = await database.transaction((tx) => entryAppender.lock(tx, caller, id))
    return { set: await appRequests.prepare(call, turn) }
  }

  /** The extension window of a line has closed. */
  async closeWindow(caller: Caller, id: string, digits: string) {
    const { database, entryAppender, lines } = this.#parts
    await database.transaction(async (tx) => {
      await entryAppender.lock(tx, caller, id)
      await lines.closeWindow(tx, id, digits)
    })
  }

  /** Only new tool calls; logged before the app receives them. */
  async #keepAsked(tx: Transaction, locked: store.RunCall, wanted: RunTools, app: string | undefined) {
    const known = new Set(await store.listToolIds(tx, locked.id))
    const toolCalls = wanted.calls.filter(({ id }) => !known.has(id) && known.add(id))
    if (toolCalls.length === 0) return
    const data: NewEntry['data'] = {
      msgId: wanted.msgId,
      toolCalls,
      ...(wanted.text !== undefined && { text: wanted.text }),
      ...(app !== undefined && { app }),
    }
    await this.#parts.log.appendIn(tx, callLog(locked), [{ type: 'llm.toolCall', data }])
  }
}
