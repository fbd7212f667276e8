import type { PeriodicTask } from '@switchroom/process/periodic-tasks'
import type { RunningGateways } from '../../agents/apps/running-gateways.ts'
import { entryOf } from '../../calls/log/entries.ts'
import type { Outlet } from '../../calls/written/outlets.ts'
import type { Transaction } from '../../database/database.ts'
import { secondMs } from '../../foundation/clock.ts'
import type { Receipt, Received } from '../platform/received.ts'
import { CallOutlet, type CallOutletParts } from './call-outlet.ts'
import * as store from './call-outlets.store.ts'
import { logFailure } from './failure-entries.ts'
import { readOpaque } from './part-sender.ts'
import * as sends from './sends.store.ts'

const pollEveryMs = 5 * secondMs
const takenAtOnce = 100
const pageSize = 1000

export interface CallOutletsParts extends Omit<CallOutletParts, 'gateway'> {
  gateways: Pick<RunningGateways, 'id' | 'alive'>
}

/** The outlets of this gateway: of the calls it runs, and of ended calls whose gateway is gone. */
export class CallOutlets {
  readonly #parts: CallOutletsParts
  readonly #open = new Map<string, CallOutlet>()
  readonly task: PeriodicTask = {
    name: 'send what other gateways left',
    everyMs: pollEveryMs,
    runsAtStart: true,
    run: () => (this.poll(), this.#polling),
  }
  #polling: Promise<void> = Promise.resolve()
  #isStopped = false

  constructor(parts: CallOutletsParts) {
    this.#parts = parts
  }

  async stop() {
    this.#isStopped = true
    await this.#polling
    await Promise.all(this.#open.values().map((sending) => sending.leave()))
  }

  /** With the call that it is for. */
  async begin(
    tx: Transaction,
    {
      call,
      org,
      phoneNumberId,
      contact,
    }: Pick<Received, 'org' | 'phoneNumberId' | 'contact'> & { call: string },
  ) {
    const route = { org, phone_number_id: phoneNumberId, contact }
    await store.insertSending(tx, call, route, this.#parts.gateways.id)
  }

  /** Of a call that this gateway runs. */
  open(call: string): Outlet {
    const sending = new CallOutlet(call, { ...this.#parts, gateway: this.#parts.gateways.id }, () => {
      if (this.#open.get(call) === sending) this.#open.delete(call)
    })
    this.#open.set(call, sending)
    return sending
  }

  /** Any receipt proves that the platform took the message, also one that says that it was not delivered. */
  async settle(receipt: Receipt) {
    const { database, clock } = this.#parts
    const { org, opaque, messageId, status } = receipt
    const key = readOpaque(opaque)
    if (!key) return
    await sends.settleByReceipt(database, key, clock.now(), messageId, org)
    const known = sends.reportedStatuses.find((each) => each === status)
    if (known === 'failed') await this.#failed(key, receipt)
    else if (known) await sends.reportSend(database, key, org, known, null)
  }

  /** Once, however often the platform reports it. */
  async #failed(key: sends.PartKey, { org, error }: Receipt) {
    const { database, log } = this.#parts
    const why = error ?? {
      code: null,
      detail: 'the messaging platform did not deliver it and gives no reason',
    }
    await database.transaction(async (tx) => {
      const held = await log.lock(tx, key.call)
      if (!held || !(await sends.reportSend(tx, key, org, 'failed', why))) return
      const messageId = await sends.findMessageId(tx, key)
      await logFailure(tx, log, held, { code: 'msgapp_not_delivered', messageId, error: why })
    })
  }

  poll() {
    this.#polling = this.#polling
      .then(() => this.#takeLeft())
      .catch((error: unknown) =>
        this.#parts.logger.warn({ err: error }, 'the sends that other gateways left could not be read'),
      )
  }

  async #takeLeft() {
    const { database, gateways } = this.#parts
    if (this.#isStopped) return
    const sentHere = [...this.#open.keys()]
    const left = await store.claimLeft(database, gateways.alive, sentHere, takenAtOnce)
    await Promise.all(left.map((call) => this.#finish(this.open(call), call)))
  }

  async #finish(outlet: Outlet, call: string) {
    try {
      outlet.take(await this.#read(call))
      outlet.finish()
    } catch (error) {
      await outlet.leave() // so that it is looked for again
      throw error
    }
  }

  async #read(call: string) {
    const read = []
    for (;;) {
      const page = await this.#parts.log.read(call, read.at(-1)?.seq ?? 0, pageSize)
      read.push(...page.map(entryOf))
      if (page.length < pageSize) return read
    }
  }
}
