import type { CallbackPage, CallbacksAsked } from '@switchroom/contract/callbacks'
import type { Database } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import { cursorOf, placeIn } from '../../foundation/cursors.ts'
import { entryOf } from '../log/entries.ts'
import * as store from './callbacks.store.ts'

const pageSize = 100
const beginning: store.Place = { ts: -1, agent: '', seq: 0 }

/** Callbacks that agents' own logs record; nothing marks one as done. */
export class Callbacks {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async list({ org, env }: Caller, { agent, after }: CallbacksAsked): Promise<CallbackPage> {
    const from = after === undefined ? beginning : placeOf(after)
    const found = await store.listAfter(this.#database, { org, env, agent }, from, pageSize + 1)
    const page = found.slice(0, pageSize)
    const last = page.at(-1)
    return {
      callbacks: page.map(entryOf),
      next: last && found.length > pageSize ? cursorOf(last.ts, last.agent, last.seq) : null,
    }
  }
}

function placeOf(cursor: string): store.Place {
  const [ts, agent, seq] = placeIn(cursor, 'number', 'text', 'whole')
  return { ts, agent, seq }
}
