import type { Route } from '@switchroom/contract/numbers'
import type { AdmissionVerdicts, Verdict } from '@switchroom/media/plane'
import { ruleName, type AtFence, type Whose } from '../admission/number-fences.ts'

/** One thing that has to stand for a number to ring, and how it does; `waiting` is for the operator to change. */
export interface Step {
  thing: string
  verdict: Verdict | 'waiting'
}

/** Something that was looked up and found standing, or that is still to be written. */
export interface Planned {
  thing: string
  stands: boolean
  write: () => Promise<unknown>
}

export const asPlanned = (planned: readonly Planned[]): Step[] =>
  planned.map(({ thing, stands }) => ({ thing, verdict: stands ? 'stands' : 'to do' }))

/** Writes what does not stand, in order. */
export async function carryOut(planned: readonly Planned[]): Promise<Step[]> {
  const steps: Step[] = []
  for (const { thing, stands, write } of planned) {
    if (!stands) await write()
    steps.push({ thing, verdict: stands ? 'stands' : 'done' })
  }
  return steps
}

export const asSentences = (steps: readonly Step[]) =>
  steps.map(({ thing, verdict }) => `${thing}: ${verdict}`)

export const offOther = "off the other environment's media server"

export const routeThing = ({ number, agent }: Pick<Route, 'number' | 'agent'>) =>
  `route ${number} to ${agent}`

/** What became of a number at the media plane; `address` is where its org points it. */
export function mediaSteps(
  whose: Whose,
  at: AtFence,
  verdicts: AdmissionVerdicts,
  address: string | undefined,
): Step[] {
  const addressed = address === undefined ? '' : `, for calls sent to ${address}`
  return [
    ...at.unapproved.map((network): Step => ({ thing: `network ${network}`, verdict: 'waiting' })),
    {
      thing: `inbound trunk ${at.name}${addressed}`,
      verdict: (at.isOpen && verdicts.fences.get(at.name)) || 'waiting',
    },
    { thing: `rule ${ruleName(whose)}`, verdict: at.isOpen ? verdicts.rule : 'waiting' },
  ]
}

/** Exactly the fields of a route. */
export const routeOf = ({ org, agent, channel, number, label, env, managed }: Route): Route => ({
  org,
  agent,
  channel,
  number,
  label,
  env,
  managed,
})
