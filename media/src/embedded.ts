import { checkFences, fenceVerdicts, isSameFence, isSameSet, otherEnvironment, scopeName } from './fences.ts'
import {
  MediaError,
  type Admission,
  type AdmissionVerdicts,
  type Fence,
  type MediaPlane,
  type PlacedCall,
  type PlacingResult,
  type Verdict,
  unanswered,
} from './plane.ts'

/** How long a call waits for a worker to dial it. */
const takenWithinS = 15
/** The far end rings for a minute; the worker may take a moment to report. */
const toldWithinS = 75

const givenUp = unanswered('no_answer', 'the call was given up before it was answered')
const untold = unanswered('dial_failed', 'the worker that dialled the call did not report what became of it')

/** A fence with the workers that its calls are handed to. */
export interface KeptFence extends Fence {
  scope: string
  fleet: string
}

export interface FenceRows {
  ofScopes(scopes: readonly string[]): Promise<KeptFence[]>
  /** Which of these numbers are on a fence of any other scope. */
  listedElsewhere(numbers: readonly string[], scopes: readonly string[]): Promise<string[]>
  /** The same for very many numbers: one of those, if there is any. */
  anyListedElsewhere(numbers: readonly string[], scopes: readonly string[]): Promise<string | undefined>
  put(fence: KeptFence): Promise<void>
  drop(name: string): Promise<void>
  putAll(fences: readonly KeptFence[]): Promise<void>
  dropAll(names: readonly string[]): Promise<void>
}

/** Where the fences are kept that workers hold calls to. */
export interface FenceKeeper {
  all(): Promise<KeptFence[]>
  orgs(): Promise<string[]>
  ofScopes(scopes: readonly string[]): Promise<KeptFence[]>
  /** Runs the work while no other process changes a fence: all of it is kept, or nothing. */
  change<T>(work: (rows: FenceRows) => Promise<T>): Promise<T>
}

/** Where calls are offered to workers. */
export interface PlacementRequests {
  offer(call: PlacedCall): Promise<void>
  /** Answers once a worker took the call or reported on it, the time is over, or the signal came. */
  waitTaken(call: string, withinS: number, signal: AbortSignal): Promise<{ isTaken: boolean }>
  waitTold(call: string, withinS: number, signal: AbortSignal): Promise<void>
  /** Closes it to workers; returns the result that one reported before, else this. */
  close(call: string, result: PlacingResult): Promise<PlacingResult>
}

/** Calls that come to the workers themselves, which ask which callers to let in and what to dial. */
export class EmbeddedPlane implements MediaPlane {
  readonly #fences: FenceKeeper
  readonly #requests: PlacementRequests

  constructor(fences: FenceKeeper, requests: PlacementRequests) {
    this.#fences = fences
    this.#requests = requests
  }

  async list(): Promise<Fence[]> {
    const kept = await this.#fences.all()
    return kept.map(({ scope: _scope, fleet: _fleet, ...fence }) => fence)
  }

  orgs(): Promise<string[]> {
    return this.#fences.orgs()
  }

  async areAdmitted(wanted: readonly Admission[]): Promise<boolean[]> {
    const kept = byScope(await this.#fences.ofScopes(wanted.map(({ org, env }) => scopeName(org, env))))
    return wanted.map((one) => {
      const { puts, drops } = differences(kept.get(scopeName(one.org, one.env)) ?? [], one)
      return puts.length === 0 && drops.length === 0
    })
  }

  async preview(wanted: Admission): Promise<AdmissionVerdicts> {
    checkFences(wanted)
    return verdicts(await this.#fences.ofScopes([scopeName(wanted.org, wanted.env)]), wanted, 'to do')
  }

  async admit(wanted: Admission): Promise<AdmissionVerdicts> {
    checkFences(wanted)
    const { org, env, fences } = wanted
    const [scope, otherScope] = [scopeName(org, env), scopeName(org, otherEnvironment(env))]
    const numbers = fences.flatMap((fence) => fence.numbers)
    return this.#fences.change(async (rows) => {
      const [taken] = await rows.listedElsewhere(numbers, [scope, otherScope])
      if (taken !== undefined) throw new MediaError(`${taken} is still admitted for another org`)
      const ours = await rows.ofScopes([scope, otherScope])
      const standing = ours.filter((fence) => fence.scope === scope)
      await takeOff(
        rows,
        ours.filter((fence) => fence.scope === otherScope),
        new Set(numbers),
      )
      const { puts, drops } = differences(standing, wanted)
      for (const name of drops) await rows.drop(name)
      for (const fence of puts) await rows.put(fence)
      return verdicts(standing, wanted, 'done')
    })
  }

  async admitAll(wanted: readonly Admission[]): Promise<void> {
    for (const one of wanted) checkFences(one)
    const scopes = wanted.map(({ org, env }) => scopeName(org, env))
    const numbers = wanted.flatMap(({ fences }) => fences.flatMap((fence) => fence.numbers))
    await this.#fences.change(async (rows) => {
      const taken = await rows.anyListedElsewhere(numbers, scopes)
      if (taken !== undefined) throw new MediaError(`${taken} is still admitted for another org`)
      const kept = byScope(await rows.ofScopes(scopes))
      const found = wanted.map((one) => differences(kept.get(scopeName(one.org, one.env)) ?? [], one))
      const [drops, puts] = [found.flatMap((one) => one.drops), found.flatMap((one) => one.puts)]
      if (drops.length > 0) await rows.dropAll(drops)
      if (puts.length > 0) await rows.putAll(puts)
    })
  }

  async withdraw(org: string, number: string): Promise<'stands' | 'done'> {
    const scopes = [scopeName(org, 'production'), scopeName(org, 'sandbox')]
    return this.#fences.change(async (rows) => {
      const isListed = await takeOff(rows, await rows.ofScopes(scopes), new Set([number]))
      return isListed ? 'done' : 'stands'
    })
  }

  async place(call: PlacedCall, signal: AbortSignal): Promise<PlacingResult> {
    if (signal.aborted) return givenUp
    await this.#requests.offer(call)
    const { isTaken } = await this.#requests.waitTaken(call.call, takenWithinS, signal)
    if (isTaken) await this.#requests.waitTold(call.call, toldWithinS, signal)
    const result = await this.#requests.close(call.call, signal.aborted ? givenUp : untold)
    if (!isTaken && result.outcome === 'dial_failed')
      throw new MediaError(`no worker of the fleet ${call.fleet} took the call: start one, and dial again`)
    return result
  }

  async ticket(): Promise<null> {
    return null
  }

  async holderOf(): Promise<null> {
    return null
  }

  async transfer(): Promise<void> {
    throw new MediaError('the worker that runs the call sends its caller on')
  }

  /** A worker that dials or runs the call reads in its log that it has ended; any other never gets it. */
  async hangUp(call: string): Promise<void> {
    await this.#requests.close(call, givenUp)
  }
}

const byScope = (fences: readonly KeptFence[]) => Map.groupBy(fences, ({ scope }) => scope)

/** What is to be written so that these become those wanted. */
function differences(standing: readonly KeptFence[], { org, env, fleet, fences }: Admission) {
  const scope = scopeName(org, env)
  const kept = new Map(standing.map((fence) => [fence.name, fence]))
  const wanted = new Set(fences.map(({ name }) => name))
  const puts = fences.flatMap((fence): KeptFence[] => {
    const found = kept.get(fence.name)
    return found?.fleet === fleet && isSameFence(found, fence) ? [] : [{ ...fence, scope, fleet }]
  })
  return { puts, drops: [...kept.keys()].filter((name) => !wanted.has(name)) }
}

async function takeOff(
  rows: FenceRows,
  fences: readonly KeptFence[],
  numbers: ReadonlySet<string>,
): Promise<boolean> {
  const listing = fences.filter((fence) => fence.numbers.some((number) => numbers.has(number)))
  for (const fence of listing) {
    const left = fence.numbers.filter((number) => !numbers.has(number))
    if (left.length === 0) await rows.drop(fence.name)
    else await rows.put({ ...fence, numbers: left })
  }
  return listing.length > 0
}

/** There is no rule beside the fences here: it is who answers which numbers. */
function verdicts(standing: readonly KeptFence[], wanted: Admission, changed: Verdict): AdmissionVerdicts {
  const { fences, fleet } = wanted
  const stands =
    standing.every((fence) => fence.fleet === fleet) && isSameSet(listed(standing), listed(fences))
  return { fences: fenceVerdicts(standing, fences, changed), rule: stands ? 'stands' : changed }
}

const listed = (fences: readonly Fence[]) =>
  fences.flatMap(({ name, numbers }) => numbers.map((number) => `${name} ${number}`))
