import type { Environment } from '@switchroom/contract/scopes'
import { FenceTerms } from '@switchroom/contract/trunk-terms'
import type { Admission, Fence, Verdict } from './plane.ts'

/** Where fences belong: one org in one environment. It is also the name of the rule there. */
export const scopeName = (org: string, env: Environment) => `${org}/${env}`

export const otherEnvironment = (env: Environment): Environment =>
  env === 'production' ? 'sandbox' : 'production'

const ourName = /^([^/]+\/(?:sandbox|production))\/(?:[^/]+|sip\/.+|own\/\+\d+)$/

/** The scope that a fence's name says; undefined for a name that is not one of ours. */
export const scopeOf = (fenceName: string): string | undefined => ourName.exec(fenceName)?.[1]

/** A fence without networks would admit from everywhere, and one without numbers to every number. */
export function checkFences({ org, env, fences }: Admission) {
  for (const { name, networks, numbers } of fences) {
    if (scopeOf(name) !== scopeName(org, env))
      throw new Error(`${name} is no fence of ${scopeName(org, env)}`)
    if (networks.length === 0) throw new Error(`the fence ${name} lists no network`)
    if (numbers.length === 0) throw new Error(`the fence ${name} lists no number`)
  }
}

export function isSameSet(some: readonly string[], others: readonly string[]): boolean {
  const set = new Set(some)
  return set.size === new Set(others).size && others.every((item) => set.has(item))
}

const termNames = Object.keys(FenceTerms.properties) as (keyof FenceTerms)[]

export const isSameFence = (one: Fence, other: Fence): boolean =>
  isSameSet(one.networks, other.networks) &&
  isSameSet(one.numbers, other.numbers) &&
  one.pair?.username === other.pair?.username &&
  one.pair?.password === other.pair?.password &&
  termNames.every((name) => one[name] === other[name])

/** What becomes of each fence when the existing ones make room for those wanted. */
export function fenceVerdicts(
  standing: readonly Fence[],
  wanted: readonly Fence[],
  changed: Verdict,
): Map<string, Verdict> {
  const verdicts = new Map<string, Verdict>()
  for (const fence of wanted) {
    const found = standing.filter(({ name }) => name === fence.name)
    const [first] = found
    verdicts.set(fence.name, first && found.length === 1 && isSameFence(first, fence) ? 'stands' : changed)
  }
  for (const { name } of standing) if (!verdicts.has(name)) verdicts.set(name, changed)
  return verdicts
}

/** One piece of work after the other, whatever became of the one before. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve()

  take<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work)
    this.#last = done.catch(() => {})
    return done
  }
}
