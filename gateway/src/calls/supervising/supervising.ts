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

/** What a verb does to a call: the entries it logs, and the call's state after it. */
interface Action {
  entries: NewEntry[]
  state: Supervised['state']
  change?: (tx: Transaction) => Promise<unknown>
}

/** What supervisors do to a call: take it over, release it, speak into it, end it. */
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
      const current = isTheirs ? await store.readState(tx, call) : undefined
      if (!log || !current) throw notFound(`there is no call ${call}`)
      if (current.state === 'ended') throw conflict('this call has ended').as('CALL_ENDED')
      const { entries, state, change } = actions[verb]({ caller, call, text, current })
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
  current: store.SupervisedCall
}

const actions: Record<Verb, (asked: Asked) => Action> = {
  takeover({ caller, call, current }) {
    const isOwn = current.held_by === holderOf(caller)
    if (current.state === 'held' && !isOwn)
      throw conflict(`${isHeldBy(current)}: theirs until it is released`)
    if (current.state === 'held') return { entries: [], state: 'held' }
    return {
      entries: [
        { type: 'call.taken_over', data: { by: authorOf(caller) } },
        { type: 'session.paused', data: { sessionId: call } },
      ],
      state: 'held',
      change: (tx) => store.setHeld(tx, call, holderOf(caller)),
    }
  },

  release({ caller, call, current }) {
    if (current.state !== 'held') throw conflict('no supervisor holds this call: there is nothing to release')
    return {
      entries: [
        { type: 'call.released', data: { by: authorOf(caller) } },
        { type: 'session.resumed', data: { sessionId: call } },
      ],
      state: 'open',
      change: (tx) => store.setReleased(tx, call),
    }
  },

  say({ caller, text, current }) {
    const said = { text, messageId: newId('msg', 12) }
    const by = authorOf(caller)
    const entry = isWritten(current)
      ? { type: 'agent.message', data: { ...said, source: 'human', by } }
      : { type: 'say.requested', data: { ...said, by } }
    return { entries: [entry], state: current.state }
  },

  whisper({ caller, text, current }) {
    if (current.state === 'held')
      throw conflict(`${isHeldBy(current)}: its model reads nothing until it is released`)
    return {
      entries: [{ type: 'call.whispered', data: { text, by: authorOf(caller) } }],
      state: current.state,
    }
  },

  end({ caller }) {
    const data = { reason: 'hangup', by: 'supervisor', who: nameOf(caller) }
    return { entries: [{ type: 'call.ended', data }], state: 'ended' }
  },
}

/** A gateway writes such calls itself; for spoken ones it asks the worker. */
const isWritten = ({ channel }: store.SupervisedCall) => channel === 'chat' || channel === 'msgapp'

/** Two keys may share a label, and so a key without a person holds a call by its id. */
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
