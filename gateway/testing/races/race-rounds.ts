import { setTimeout as pause } from 'node:timers/promises'
import { messageOf, Unanswered, type Finding } from './race-findings.ts'
import { allOperations } from './operations/all-operations.ts'
import type { RaceOrg } from './race-org.ts'
import { Round } from './race-round.ts'
import type { Random } from './random.ts'

/** All are sent within this time of each other; in some rounds later, to meet what follows the hash of a password. */
const [mostOffsetMs, mostLateMs] = [4, 80]

/** Runs the operations at the same moment, turn by turn at one gateway and the other; answers what no route documents. */
export async function runRound(
  org: RaceOrg,
  operations: readonly string[],
  random: Random,
): Promise<Finding[]> {
  const round = new Round(org)
  const shots = []
  for (const operation of operations) shots.push(await aimed(operation, round))
  const swap = random.below(2)
  const withinMs = random.below(3) === 0 ? mostLateMs : mostOffsetMs
  const outcomes = await Promise.all(
    shots.map(async (shoot, at) => {
      await pause(random.below(withinMs))
      const site = org.sites[(at + swap) % 2 === 0 ? 0 : 1]
      return shoot(site).then(
        (answer) => ({ answer }),
        (error: unknown) => ({ error }),
      )
    }),
  )
  const said = outcomes.map((outcome) =>
    'answer' in outcome
      ? `${outcome.answer.status} ${outcome.answer.text.slice(0, 200)}`
      : messageOf(outcome.error),
  )
  for (const outcome of outcomes)
    if ('error' in outcome && Unanswered.is(outcome.error)) org.world.unanswered.add(outcome.error)
  return outcomes.flatMap((outcome, at) => {
    const isWrong =
      'error' in outcome
        ? !Unanswered.is(outcome.error)
        : outcome.answer.status === 500 || isGivenUp(outcome.answer.status, outcome.answer.text)
    return isWrong ? [{ operation: operations[at] ?? '', among: operations, said }] : []
  })
}

/** A transaction that was undone again and again. */
const isGivenUp = (status: number, text: string) =>
  status === 503 && text.includes('too many requests change the same thing')

/** What earlier rounds have left in the org may forbid what the next one needs. */
export class Unprepared extends Error {}

/** What a round needs is made alone, so that whatever fails there in a new org is an error of the harness. */
async function aimed(operation: string, round: Round) {
  const aim = allOperations[operation]
  if (!aim) throw new Error(`there is no operation ${operation}`)
  try {
    return await aim(round)
  } catch (error) {
    throw new Unprepared(`${operation} could not be prepared: ${messageOf(error)}`, { cause: error })
  }
}
