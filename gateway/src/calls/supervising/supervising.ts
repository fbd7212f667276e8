import type { NewEntry } from '@switchroom/contract/log'
import { verbs, type Supervise, type Supervised, type Verb } from '@switchroom/contract/supervising'
import type { Database, Transaction } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import { badRequest, conflict, notFound, unprocessable } from '../../foundation/refusals.ts'
import { newId } from '../../foundation/secrets.ts'
import { codePoints } from '../../foundation/text.ts'
import type { Log } from '../log/log.ts'
import * as store from './supervising.store.ts'

const longestText = 8000

/** What a verb does to a call: what its log says of it, and how the call stands after. */
interface Action {
  entries: NewEntry[]
  state: Supervised['state']
  change?: (tx: Transaction) => Promise<unknown>
}

/** What people do to a call from outside: take it over, give it back, speak into it, end it. */
export class Supervising {
  readonly #database: Database
  readonly #log: Log

  constructor(database: Database, log: Log) {
    this.#database = database
    this.#log = log
  }

  async act(caller: Caller, call: string, asked: Supervise): Promise<Supervised> {
    const verb = verbOf(asked.verb)
    const text = verb === 'say' || verb === 'whisper' ? textOf(asked.text) : ''
    const { org, env } = caller
    return this.#database.transaction(async (tx) => {
      const log = await this.#log.lock(tx, call)
      const isTheirs = log?.call === call && log.org === org && log.env === env
      const standing = isTheirs ? await store.readState(tx, call) : undefined
      if (!log || !standing) throw notFound(`there is no call ${call}`)
      if (standing.state === 'ended') throw conflict('this call has ended')
      const { entries, state, change } = actions[verb]({ caller, call, text, standing })
      await change?.(tx)
      if (entries.length > 0) await this.#log.appendIn(tx, log, entries)
      return { call, verb, state }
    })
  }
}

interface Asked {
  caller: Caller
  call: string
  text: string
  standing: store.SupervisedCall
}

const actions: Record<Verb, (asked: Asked) => Action> = {
  takeover({ caller, call, standing }) {
    const isOwn = standing.held_by === holderOf(caller)
    if (standing.state === 'held' && !isOwn)
      throw conflict(`${isHeldBy(standing)}: theirs until it is released`)
    if (standing.state === 'held') return { entries: [], state: 'held' }
    return {
      entries: [
        { type: 'call.taken_over', data: { by: authorOf(caller) } },
        { type: 'session.paused', data: { sessionId: call } },
      ],
      state: 'held',
      change: (tx) => store.setHeld(tx, call, holderOf(caller)),
    }
  },

  release({ caller, call, standing }) {
    if (standing.state !== 'held') throw conflict('nobody holds this call: there is nothing to release')
    return {
      entries: [
        { type: 'call.released', data: { by: authorOf(caller) } },
        { type: 'session.resumed', data: { sessionId: call } },
      ],
      state: 'open',
      change: (tx) => store.letGo(tx, call),
    }
  },

  say({ caller, text, standing }) {
    const said = { text, messageId: newId('msg', 12) }
    const by = authorOf(caller)
    const entry = isWritten(standing)
      ? { type: 'agent.message', data: { ...said, source: 'human', by } }
      : { type: 'say.requested', data: { ...said, by } }
    return { entries: [entry], state: standing.state }
  },

  whisper({ caller, text, standing }) {
    if (standing.state === 'held')
      throw conflict(`${isHeldBy(standing)}: its model reads nothing until it is released`)
    return {
      entries: [{ type: 'call.whispered', data: { text, by: authorOf(caller) } }],
      state: standing.state,
    }
  },

  end({ caller }) {
    const data = { reason: 'hangup', by: 'supervisor', who: nameOf(caller) }
    return { entries: [{ type: 'call.ended', data }], state: 'ended' }
  },
}

/** What a gateway writes itself; what is spoken is asked of the call's worker. */
const isWritten = ({ channel }: store.SupervisedCall) => channel === 'chat' || channel === 'msgapp'

/** Two keys may share a label, and so a key that names nobody holds a call by its id. */
const holderOf = ({ subject, key_id }: Caller) => subject || key_id
const authorOf = ({ subject, label }: Caller) => subject || label
const nameOf = ({ name, email, label }: Caller) => name || email || label
const isHeldBy = ({ holder_name }: store.SupervisedCall) => `${holder_name} holds this call`

function verbOf(said: string): Verb {
  const verb = verbs.find((known) => known === said)
  if (!verb) throw unprocessable(`verb: must be one of ${verbs.join(', ')}`)
  return verb
}

function textOf(said: string | undefined): string {
  if (said === undefined) throw unprocessable('text: is required')
  if (said.trim() === '' || codePoints(said).length > longestText)
    throw badRequest(`text is 1 to ${longestText} characters, and not all of them blank`)
  return said
}
