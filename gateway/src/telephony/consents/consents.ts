import type {
  DoNotCallAsked,
  DoNotCallPage,
  ImportDoNotCall,
  ImportedDoNotCall,
  NumberConsents,
  RecordConsent,
} from '@switchroom/contract/consents'
import { phoneForm } from '../../calls/callbacks/callback-requests.ts'
import type { Database, Queryable, Transaction } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import type { Clock } from '../../foundation/clock.ts'
import { cursorOf, placeIn } from '../../foundation/cursors.ts'
import { badRequest, notFound } from '../../foundation/refusals.ts'
import { readConsent, readSource } from './consent-parsing.ts'
import * as store from './consents.store.ts'
import { recordConsent, recordOptOut, standingBy } from './consent-facts.ts'

const pageSize = 100
const mostAtOnce = 10_000

/** Consents and opt-outs of numbers: the org's own facts, the same in both environments and for every agent. */
export class Consents {
  readonly #database: Database
  readonly #clock: Clock

  constructor(database: Database, clock: Clock) {
    this.#database = database
    this.#clock = clock
  }

  async record(caller: Caller, { number, ...sent }: RecordConsent): Promise<NumberConsents> {
    if (!phoneForm.test(number)) throw badRequest('number is one in international form, as +15550100100')
    const consent = readConsent(sent)
    return this.#write(caller, number, (tx) =>
      recordConsent(tx, { ...this.#saidBy(caller), ...consent, number }),
    )
  }

  /** Puts the number on the list. */
  async optOut(caller: Caller, number: string): Promise<NumberConsents> {
    refuseUnlessNumber(number)
    return this.#write(caller, number, (tx) =>
      recordOptOut(tx, { ...this.#saidBy(caller), numbers: [number] }),
    )
  }

  async read({ org }: Caller, number: string): Promise<NumberConsents> {
    refuseUnlessNumber(number)
    return readNumber(this.#database, org, number)
  }

  /** A caller asks for no more calls. */
  async callerOptedOut(
    tx: Transaction,
    { org, number, call }: { org: string; number: string; call: string },
  ) {
    await recordOptOut(tx, { org, numbers: [number], by: 'caller', call, at: this.#clock.now() })
  }

  async listed({ org }: Caller, { after }: DoNotCallAsked): Promise<DoNotCallPage> {
    const [before = null] = after === undefined ? [] : placeIn(after, 'whole')
    const found = await store.listOptedOut(this.#database, org, before, pageSize + 1)
    const page = found.slice(0, pageSize)
    const last = page.at(-1)
    return { numbers: page, next: last && found.length > pageSize ? cursorOf(last.ordinal) : null }
  }

  /** All of them, or none. */
  async importList(caller: Caller, { numbers, source }: ImportDoNotCall): Promise<ImportedDoNotCall> {
    if (numbers.length === 0 || numbers.length > mostAtOnce)
      throw badRequest(`numbers is a list of 1 to ${mostAtOnce}`)
    const from = readSource(source)
    const distinct = [...new Set(numbers.filter((number) => phoneForm.test(number)))]
    if (distinct.length > 0)
      await this.#database.transaction((tx) =>
        recordOptOut(tx, { ...this.#saidBy(caller), numbers: distinct, source: from }),
      )
    return { added: distinct.length, refused: numbers.filter((number) => !phoneForm.test(number)) }
  }

  #write(
    { org }: Caller,
    number: string,
    write: (tx: Transaction) => Promise<void>,
  ): Promise<NumberConsents> {
    return this.#database.transaction(async (tx) => {
      await write(tx)
      return readNumber(tx, org, number)
    })
  }

  #saidBy({ org, subject, label }: Caller) {
    return { org, by: subject || label, at: this.#clock.now() }
  }
}

async function readNumber(database: Queryable, org: string, number: string): Promise<NumberConsents> {
  const rows = await store.listFacts(database, org, number)
  const newest = rows[0]
  return { number, standing: newest ? standingBy(newest.fact) : 'unknown', rows }
}

/** In a path, what is no number names nothing. */
function refuseUnlessNumber(number: string) {
  if (!phoneForm.test(number)) throw notFound('the path names no number: it is one as +15550100100')
}
