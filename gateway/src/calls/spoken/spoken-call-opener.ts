import type { OpenedWorkerCall, OpenWorkerCall } from '@switchroom/contract/worker'
import type { ConnectedApps } from '../../agents/apps/connected-apps.ts'
import { refuseMalformedSlug } from '../../agents/scope.ts'
import type { Database, Transaction } from '../../database/database.ts'
import { runnerOf, type Caller } from '../../foundation/caller.ts'
import type { Clock } from '../../foundation/clock.ts'
import { numberKey, shownNumber } from '../../foundation/number-keys.ts'
import { badRequest, conflict, forbidden, notFound, Refusal } from '../../foundation/refusals.ts'
import { cutToLine } from '../../foundation/text.ts'
import type { Orgs } from '../../people/orgs/orgs.ts'
import { phoneForm, requestCallback } from '../callbacks/callback-requests.ts'
import { knowContact } from '../contacts/known-contacts.ts'
import { newCallId, refuseMalformedCallId, refuseTestCallId } from '../records/call-ids.ts'
import type { NewCall, CallRecords, ResolvedSettings } from '../records/records.ts'
import { extensionOf } from '../lines/extension.ts'
import type { Lines, LineRow, NumberRoute, RouteOf } from '../lines/lines.ts'
import { notTaken, type Log } from '../log/log.ts'
import { callLog } from '../log/entries.ts'
import { isSpoken, unknownCall } from './entry-appender.ts'
import { keyless } from './missing-keys.ts'
import * as store from './spoken-calls.store.ts'
import type { WorkerAnswers } from './worker.ts'

export interface SpokenCallOpenerParts {
  database: Database
  clock: Clock
  log: Log
  records: CallRecords
  connectedApps: ConnectedApps
  orgs: Orgs
  workerAnswers: Pick<WorkerAnswers, 'missingUnder'>
  lines: Lines
  routeOf: RouteOf
  /** Records that a call came to the number. */
  reached: (number: string) => Promise<void>
  /** Whether a call to the number from this one is that of a trunk's test. */
  isTrunkTest: (number: string, from: string) => Promise<boolean>
}

/** What a call came to: a number, or an agent by name. */
type Reached = Pick<NumberRoute, 'org' | 'env' | 'agent'> & { number: string | null }

/** An incoming call and its two ends. */
interface Arrived {
  id: string
  route: Reached
  caller: string | null
  contact: string | null
  extension: string | null
  /** The number that sent the call on to this one. */
  diverted: string | null
  /** The key of the worker that opens it. */
  runner: string
}

/** Thrown to roll back a dry run that nothing refused. */
class DryRun extends Error {}

/** Opens spoken calls for workers. */
export class SpokenCallOpener {
  readonly #parts: SpokenCallOpenerParts

  constructor(parts: SpokenCallOpenerParts) {
    this.#parts = parts
  }

  /** A call to a number or to an agent by name, one that a browser opened, or one that is dialled. */
  async open(caller: Caller, wanted: OpenWorkerCall): Promise<OpenedWorkerCall> {
    if (wanted.number !== undefined) return this.#openOn(caller, wanted.number, wanted)
    if (wanted.agent !== undefined) return this.#openFor(caller, wanted.agent, wanted)
    if (wanted.dry_run) throw badRequest('dry_run needs the number that was called, or the agent')
    if (wanted.call === undefined) throw badRequest('name the number that was called, or the call to take')
    return this.#take(caller, wanted.call, wanted.worker)
  }

  async #openOn(caller: Caller, called: string, wanted: OpenWorkerCall): Promise<OpenedWorkerCall> {
    const { routeOf, reached, isTrunkTest } = this.#parts
    if (wanted.agent !== undefined)
      throw badRequest('name the number that was called or the agent, one of them')
    const arriving = arrivingBy(caller, wanted)
    const number = numberKey(caller.org, called)
    const found = await routeOf(number)
    const route = found && { ...found, number: shownNumber(number) }
    if (!route || route.channel !== 'phone' || !isTheirs(caller, route))
      throw notFound(`no agent answers at ${cutToLine(called, 'that number')}: route it to one first`)
    if (route.awaits_approval) throw forbidden(`${number} rings once the operator has approved it`)
    await reached(number)
    if (wanted.dry_run && arriving.caller !== null && (await isTrunkTest(number, arriving.caller)))
      return { ...opened({ ...route, id: arriving.id, traceparent: null }, undefined), echo: true }
    const line = wanted.overflow ? undefined : await this.#parts.lines.lineOf(number)
    return this.#openArrived({ ...arriving, route }, wanted, line)
  }

  /** From a phone on the worker's own machine, which dialled no number. */
  async #openFor(caller: Caller, agent: string, wanted: OpenWorkerCall): Promise<OpenedWorkerCall> {
    const { org, env } = caller
    if (org === '') throw badRequest('name the org in the header svc-org')
    refuseMalformedSlug(agent)
    const route = { org, env, agent, number: null }
    return this.#openArrived({ ...arrivingBy(caller, wanted), route }, wanted, undefined)
  }

  async #openArrived(
    arrived: Arrived,
    wanted: OpenWorkerCall,
    line: LineRow | undefined,
  ): Promise<OpenedWorkerCall> {
    const { id, route } = arrived
    try {
      const { traceparent } = await this.#begin(arrived, wanted, line)
      return opened({ ...route, id, traceparent }, line)
    } catch (error) {
      if (error instanceof DryRun) return opened({ ...route, id, traceparent: null }, line)
      const repeated = await this.#repeated(error, arrived, wanted)
      if (!repeated) throw error
      return opened({ ...route, id, traceparent: repeated.traceparent }, line)
    }
  }

  async #begin(arrived: Arrived, wanted: OpenWorkerCall, line: LineRow | undefined) {
    const { id, route, caller, contact, extension, diverted } = arrived
    const entry = line
      ? { type: 'line.answered', data: { line: line.number, extensionMs: line.extension_ms } }
      : { type: 'call.started', data: {} }
    const beginning: NewCall = {
      channel: 'phone',
      caller,
      called: route.number,
      contact,
      extension,
      ...(diverted !== null && { metadata: { diverted_from: diverted } }),
      beatAt: this.#parts.clock.now(),
      entries: () => [entry],
      isPassing: wanted.overflow === true,
      judge: async (resolution) => {
        if (!line) await this.#refuseUnable(route, resolution)
      },
      alsoInTransaction: (tx) => this.#settle(tx, arrived, wanted, line),
    }
    return this.#parts.records.begin({ ...route, holder: '' }, id, beginning)
  }

  /** An agent that no app holds, or that has no key to run on, gets no call. */
  async #refuseUnable(route: Omit<Reached, 'number'>, resolution: ResolvedSettings) {
    const { orgs, workerAnswers } = this.#parts
    if (!resolution.declaration) throw unheld(route)
    const slug = (await orgs.lookUp(route.org))?.slug ?? ''
    const missing = await workerAnswers.missingUnder({ ...route, slug }, resolution)
    if (missing.length > 0) throw keyless(route.agent, missing)
  }

  /** In the transaction that opens it: assigns it to a line, or ends an overflow call at once. */
  async #settle(tx: Transaction, arrived: Arrived, wanted: OpenWorkerCall, line: LineRow | undefined) {
    const { clock, lines, log } = this.#parts
    if (wanted.dry_run) throw new DryRun()
    const { id, route, contact, runner } = arrived
    await store.setWorker(tx, id, clock.now(), { worker: wanted.worker, runner })
    if (line) await lines.own(tx, line, id, route.agent)
    // an org's own worker can name any caller, so only the platform's workers make a contact known to the dialling guards
    if (contact !== null && route.number !== null && runner === 'fleet')
      await knowContact(tx, { ...route, contact }, clock.now())
    if (!wanted.overflow) return
    const call = { ...route, id, transport: 'phone', contact } as const
    if (contact !== null) await requestCallback(tx, log, call, { number: contact, via: 'overflow' })
    await log.appendIn(tx, callLog(call), [{ type: 'call.ended', data: { reason: 'hangup' } }])
  }

  /** A worker that chose the call's id may repeat its request, also concurrently. */
  async #repeated(
    error: unknown,
    { id, route }: Arrived,
    wanted: OpenWorkerCall,
  ): Promise<store.SpokenCall | undefined> {
    if (!(error instanceof Refusal) || error.status !== 409 || wanted.call === undefined) return undefined
    const known = await store.findCall(this.#parts.database, id)
    const isSame = known?.org === route.org && known.env === route.env && known.called === route.number
    if (route.number === null && known?.agent !== route.agent) return undefined
    return isSame && known.channel === 'phone' && known.worker === (wanted.worker ?? null) ? known : undefined
  }

  async #take(caller: Caller, id: string, worker: string | undefined): Promise<OpenedWorkerCall> {
    const { database, connectedApps, records, log, clock } = this.#parts
    const call = await store.findCall(database, id)
    if (!call || !isTheirs(caller, call)) throw unknownCall(id)
    if (!isSpoken(call)) throw conflict(`call ${id} is a written one, and no worker runs those`)
    if (isRunBy(call, worker)) return opened(call, undefined)
    if (!(await connectedApps.appFor(call))) throw unheld(call)
    await this.#refuseUnable(call, await records.resolve(call, id, 'web'))
    return database.transaction(async (tx) => {
      const isDialled = call.direction === 'outbound' // counted since the dial, and started when it is answered
      if (!isDialled) await records.refusePastQuota(tx, call.org, 'web')
      const locked = await log.lock(tx, id)
      if (!locked || locked.sealed) throw notTaken()
      const now = await store.findCall(tx, id)
      if (!now || now.beat_at !== null) throw conflict(`a worker runs call ${id} already`)
      await store.setWorker(tx, id, clock.now(), { worker, runner: runnerOf(caller) })
      if (!isDialled) await log.appendIn(tx, callLog(now), [{ type: 'call.started', data: {} }])
      return opened(now, undefined)
    })
  }
}

/** A fleet worker serves every org, unless it names one; an org's own worker serves its key's environment. */
const isTheirs = ({ kind, org, env }: Caller, named: Pick<NumberRoute, 'org' | 'env'>) =>
  kind === 'fleet' ? org === '' || org === named.org : org === named.org && env === named.env

const isRunBy = ({ worker, beat_at, ended_at }: store.SpokenCall, asks: string | undefined) =>
  asks !== undefined && worker === asks && beat_at !== null && ended_at === null

const unheld = ({ agent, env }: Pick<NumberRoute, 'agent' | 'env'>) =>
  conflict(`no app holds ${agent} in ${env}: connect one, and call again`).as('AGENT_OFFLINE')

/** The two ends as the worker reports them. */
function arrivingBy(caller: Caller, wanted: OpenWorkerCall): Omit<Arrived, 'route'> {
  const from = wanted.from?.trim() ?? ''
  return {
    id: callIdOf(wanted.call),
    caller: from === '' ? null : cutToLine(from, 'unknown'),
    contact: phoneForm.test(from) ? from : null,
    extension: extensionOf(wanted.extension),
    diverted: phoneForm.test(wanted.diverted_from ?? '') ? (wanted.diverted_from ?? null) : null,
    runner: runnerOf(caller),
  }
}

const opened = (
  {
    id,
    org,
    env,
    agent,
    traceparent,
  }: Pick<store.SpokenCall, 'id' | 'org' | 'env' | 'agent' | 'traceparent'>,
  line: LineRow | undefined,
): OpenedWorkerCall => ({
  call: id,
  org,
  env,
  agent,
  line: line ? { extensionMs: line.extension_ms } : null,
  ...(traceparent !== null && { traceparent }),
})

function callIdOf(named: string | undefined): string {
  if (named === undefined) return newCallId()
  refuseMalformedCallId('call', named)
  refuseTestCallId('call', named)
  return named
}
