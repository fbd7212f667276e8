import type { Route } from '@switchroom/contract/numbers'
import type { AdmissionVerdicts, Verdict } from '@switchroom/media/plane'
import { shownNumber } from '../../foundation/number-keys.ts'
import { unprocessable } from '../../foundation/refusals.ts'
import { ruleName, type AtFence, type Whose } from '../admission/number-fences.ts'

/** One thing that a change needs, and its verdict; `waiting` is for the operator to change. */
export interface Step {
  thing: string
  verdict: Verdict | 'waiting'
}

/** One thing that was looked up: it is there, or it is still to be written. */
export interface PlannedStep {
  thing: string
  isThere: boolean
  write: () => Promise<unknown>
}

/** `dry_run` of a query. */
export const isDryRun = (sent: string | undefined) => isSet('dry_run', sent)

/** A query's field that is true or false, and false if it is absent. */
export function isSet(field: string, sent: string | undefined): boolean {
  if (sent === undefined || sent === 'false' || sent === '0') return false
  if (sent === 'true' || sent === '1') return true
  throw unprocessable(`${field}: must be true or false`)
}

/** What a dry run answers. */
export const asPlanned = (planned: readonly PlannedStep[]): Step[] =>
  planned.map(({ thing, isThere }) => ({ thing, verdict: isThere ? 'stands' : 'to do' }))

/** Writes what is not there, in order. */
export async function carryOut(planned: readonly PlannedStep[]): Promise<Step[]> {
  const steps: Step[] = []
  for (const { thing, isThere, write } of planned) {
    if (!isThere) await write()
    steps.push({ thing, verdict: isThere ? 'stands' : 'done' })
  }
  return steps
}

export const asSentences = (steps: readonly Step[]) =>
  steps.map(({ thing, verdict }) => `${thing}: ${verdict}`)

export const offOther = "off the other environment's media server"

export const routeThing = ({ number, agent }: Pick<Route, 'number' | 'agent'>) =>
  `route ${shownNumber(number)} to ${agent}`

/** What the audit log names it by. */
export const auditedNumber = (number: string) =>
  ({ kind: 'number', id: shownNumber(number), label: shownNumber(number) }) as const

/** What the media plane did for a number; `address` is where its org points it. */
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
