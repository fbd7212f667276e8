import { randomInt } from 'node:crypto'
import type { Invocation } from '../../invocation/invocation.ts'
import { wrongUsage } from '../../terminal/failures.ts'
import { profileNames, type ProfileName } from './profile-names.ts'
import { durationMs, ratePerS } from './quantities.ts'
import { stepsOf, type Step } from './steps.ts'
import { targetForm, targetIn, type Target } from './targets.ts'

export type Load = { perS: number } | { atOnce: number }

/** What a run is to do, as the command line says. */
export interface LoadPlan {
  profile: ProfileName | 'mixed'
  /** Each profile of the run with its part of the load. */
  loads: ReadonlyMap<ProfileName, Load>
  steps: readonly Step[]
  /** How often one place does something; undefined is the profile's own. */
  everyMs: number | undefined
  seed: number
  targets: readonly Target[]
  mostOwnDelayMs: number
}

export const usualMix = 'chats=6,webhooks=2,dials=1,calls=1'
const usualAtOnce = 5
const mostAtOnce = 5_000
const mostRunMs = 12 * 3_600_000

export function loadPlan(invocation: Invocation): LoadPlan {
  const profile = profileIn(invocation.needed('profile'))
  const shares = profile === 'mixed' ? mixIn(invocation.option('mix') ?? usualMix) : new Map([[profile, 1]])
  if (profile !== 'mixed' && invocation.option('mix') !== undefined)
    throw wrongUsage('--mix is for --profile mixed')
  const steps = stepsOf({
    rampMs: duration(invocation, 'ramp', '0s'),
    rampSteps: wholeNumber(invocation, 'steps', 4, 50),
    holdMs: duration(invocation, 'hold', '30s'),
  })
  const [held] = steps.slice(-1)
  if (!held || held.toMs <= held.fromMs) throw wrongUsage('--hold must be longer than nothing, such as 30s')
  if (held.toMs > mostRunMs) throw wrongUsage('--ramp and --hold take 12 hours together at most')
  const every = invocation.option('every')
  const everyMs = every === undefined ? undefined : duration(invocation, 'every', every)
  if (everyMs !== undefined && everyMs < 100) throw wrongUsage('--every is 100ms at least')
  return {
    profile,
    loads: spread(loadIn(invocation), shares),
    steps,
    everyMs,
    seed: seedIn(invocation),
    targets: (invocation.list('target') ?? []).map((text) => {
      const target = targetIn(text)
      if (!target) throw wrongUsage(`--target ${text} is not understood: ${targetForm}`)
      return target
    }),
    mostOwnDelayMs: duration(invocation, 'own-delay', '100ms'),
  }
}

function profileIn(text: string): ProfileName | 'mixed' {
  const known = [...profileNames, 'mixed' as const].find((name) => name === text)
  if (!known) throw wrongUsage(`unknown profile ${text}: use ${profileNames.join(', ')} or mixed`)
  return known
}

/** As `chats=6,calls=1`. */
function mixIn(text: string): Map<ProfileName, number> {
  const shares = text.split(',').map((part) => {
    const [, name, weight] = /^([a-z]+)=(\d{1,4})$/.exec(part.trim()) ?? []
    const known = profileNames.find((each) => each === name)
    if (!known || Number(weight) < 1)
      throw wrongUsage(`--mix ${text} is not understood: write it as ${usualMix}`)
    return [known, Number(weight)] as const
  })
  if (new Set(shares.map(([name]) => name)).size < shares.length)
    throw wrongUsage(`--mix ${text} names a profile twice`)
  return new Map(shares)
}

function loadIn(invocation: Invocation): Load {
  const [rate, atOnce] = [invocation.option('rate'), invocation.option('at-once')]
  if (rate !== undefined && atOnce !== undefined)
    throw wrongUsage('--rate and --at-once say the same thing in two ways: use one of them')
  if (rate === undefined) return { atOnce: wholeNumber(invocation, 'at-once', usualAtOnce, mostAtOnce) }
  const perS = ratePerS(rate)
  if (perS === undefined || perS <= 0)
    throw wrongUsage(`--rate ${rate} is not understood: write it as 20, 20/s or 90/m`)
  return { perS }
}

/** Every profile gets its part, and none gets nothing. */
export function spread(load: Load, shares: ReadonlyMap<ProfileName, number>): Map<ProfileName, Load> {
  const all = [...shares.values()].reduce((sum, share) => sum + share, 0)
  return new Map(
    [...shares].map(([name, share]) => [
      name,
      'perS' in load
        ? { perS: (load.perS * share) / all }
        : { atOnce: Math.max(1, Math.round((load.atOnce * share) / all)) },
    ]),
  )
}

function seedIn(invocation: Invocation): number {
  const seed = invocation.option('seed')
  if (seed === undefined) return randomInt(2 ** 32)
  if (!/^\d{1,10}$/.test(seed) || Number(seed) >= 2 ** 32)
    throw wrongUsage('--seed is a whole number from 0 to 4294967295')
  return Number(seed)
}

function duration(invocation: Invocation, name: string, usual: string): number {
  const text = invocation.option(name) ?? usual
  const ms = durationMs(text)
  if (ms === undefined) throw wrongUsage(`--${name} ${text} is not understood: write it as 500ms, 30s or 2m`)
  return ms
}

function wholeNumber(invocation: Invocation, name: string, usual: number, most: number): number {
  const text = invocation.option(name)
  if (text === undefined) return usual
  if (!/^\d{1,9}$/.test(text) || Number(text) < 1 || Number(text) > most)
    throw wrongUsage(`--${name} is a whole number from 1 to ${most}`)
  return Number(text)
}
