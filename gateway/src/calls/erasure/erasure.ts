import { recordAudit } from '../../audit/recording.ts'
import type { Database, Transaction } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import { listed, notFound } from '../../foundation/refusals.ts'
import type { SlowRequests } from '../../http/slow-requests.ts'
import { forgetContact } from '../contacts/known-contacts.ts'
import type { Log } from '../log/log.ts'
import type { Recordings } from '../recordings/recordings.ts'
import * as store from './erasure.store.ts'
import { mentionsBy, type Mentions } from './mentions.ts'

export type { Reach } from './erasure.store.ts'

const callsAtOnce = 200

/** Entries that stay: they hold no words and no name. */
const keptTypes = [
  'call.ended',
  'call.taken_over',
  'call.released',
  'session.paused',
  'session.resumed',
  'session.idleWarning',
  'session.timeout',
  'vendor.switched',
  'metrics',
  'call.line_warning',
  'call.line_recovered',
  'call.on_hold',
  'call.off_hold',
]

/** Erases what other rooms store about a contact; answers how many rows that was. */
export type ForgetBeside = (tx: Transaction, reach: store.Reach, contact: string) => Promise<number>

export interface ErasureParts {
  database: Database
  slowRequests: SlowRequests
  log: Log
  /** Whether it is known whom every entry of agents' own logs is about. */
  areMentionsKnown: () => Promise<boolean>
  forgetBeside: ForgetBeside
  recordings: Pick<Recordings, 'remove' | 'deleteRemoved'>
}

/** Erases a contact from the part of an org that the caller may erase. */
export class Erasure {
  readonly #database: Database
  readonly #slow: SlowRequests
  readonly #log: Log
  readonly #areMentionsKnown: () => Promise<boolean>
  readonly #forgetBeside: ForgetBeside
  readonly #recordings: Pick<Recordings, 'remove' | 'deleteRemoved'>

  constructor({ database, slowRequests, log, areMentionsKnown, forgetBeside, recordings }: ErasureParts) {
    this.#database = database
    this.#slow = slowRequests
    this.#log = log
    this.#areMentionsKnown = areMentionsKnown
    this.#forgetBeside = forgetBeside
    this.#recordings = recordings
  }

  erase(caller: Caller, contact: string): Promise<void> {
    return this.#slow.run(caller.org, () => this.#erase(caller, contact))
  }

  async #erase(caller: Caller, contact: string): Promise<void> {
    const reach = reachOf(caller)
    const mentions = mentionsBy(await this.#areMentionsKnown())
    const calls = await this.#eraseCalls(caller, reach, contact, mentions)
    // after the calls, because one that was running may have stored facts until it ended
    const rest = await this.#eraseRest(caller, reach, contact, mentions, calls)
    if (calls + rest === 0) throw notFound(`nothing is known of ${contact}${limitsOf(reach)}`)
  }

  /** In batches, each in one transaction: a repeated request finishes an interrupted erasure. */
  async #eraseCalls(
    caller: Caller,
    reach: store.Reach,
    contact: string,
    mentions: Mentions,
  ): Promise<number> {
    for (let erased = 0; ;) {
      const found = await store.findCalls(this.#database, reach, contact, callsAtOnce)
      if (found.length === 0) return erased
      const calls = found.map(({ id }) => id)
      await this.#database.transaction((tx) => this.#eraseIn(tx, caller, calls, mentions))
      await this.#recordings.deleteRemoved()
      erased += calls.length
    }
  }

  async #eraseIn(tx: Transaction, caller: Caller, calls: readonly string[], mentions: Mentions) {
    const who = caller.name || caller.email || caller.label
    for (const { sealed, ...log } of await store.lockLogs(tx, calls))
      if (!sealed)
        await this.#log.appendIn(tx, log, [
          { type: 'call.ended', data: { reason: 'hangup', by: 'erasure', who } },
        ])
    await store.allowErasing(tx)
    await store.eraseEntriesBut(tx, calls, keptTypes)
    await mentions.eraseOfCalls(tx, caller.org, calls)
    await store.blankPrepared(tx, calls)
    await store.blankRecords(tx, calls)
    await this.#recordings.remove(tx, calls)
  }

  #eraseRest(
    caller: Caller,
    reach: store.Reach,
    contact: string,
    mentions: Mentions,
    calls: number,
  ): Promise<number> {
    return this.#database.transaction(async (tx) => {
      await store.allowErasing(tx)
      const mentioned = await mentions.eraseOfContact(tx, reach, contact)
      if (mentioned.length > 0)
        await store.eraseCallbacksTo(
          tx,
          mentioned.map(({ call }) => call),
          contact,
        )
      const facts = await store.deleteFacts(tx, reach, contact)
      const beside = await this.#forgetBeside(tx, reach, contact)
      // that the contact ever called concerns the whole org, so a caller with a list of agents cannot erase it
      const known = reach.agents === null ? await forgetContact(tx, reach, contact) : 0
      const rest = mentioned.length + facts.length + beside + known
      // The contact is left out of the audit row: it was to be erased.
      if (calls + rest > 0)
        await recordAudit(tx, caller, 'contact.erased', { kind: 'contact' }, { detail: { calls } })
      return rest
    })
  }
}

/** Production needs production access; a caller with a list of agents stays within it. */
const reachOf = ({ org, production, agents }: Caller): store.Reach => ({
  org,
  envs: production ? ['sandbox', 'production'] : ['sandbox'],
  agents: agents.length === 0 ? null : agents,
})

function limitsOf({ envs, agents }: store.Reach): string {
  const limits = [
    ...(envs.includes('production') ? [] : ['the sandbox, for it has no production access']),
    ...(agents === null ? [] : [`the agents ${listed(agents)}`]),
  ]
  return limits.length === 0 ? '' : ` in what this key may erase: ${limits.join(', and ')}`
}
