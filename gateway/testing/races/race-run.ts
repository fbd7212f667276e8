import { messageOf, type Finding } from './race-findings.ts'
import { RaceOrg } from './race-org.ts'
import { runRound, Unprepared } from './race-rounds.ts'
import type { RaceWorld } from './race-world.ts'
import type { Random } from './random.ts'

/** An org gets slower with what the rounds leave in it. */
const roundsOfOrg = 150

interface RunOptions {
  /** How many rounds run at once, each on things of its own: the load. */
  lanes: number
  /** Asked before every round: whether no more is to begin. */
  isSpent?: () => boolean
  onFinding?: (finding: Finding) => void
  /** Which round made PostgreSQL undo something, which only a lane of its own can tell. */
  onDeadlock?: (operations: readonly string[]) => void
}

/** Runs the rounds; answers how many there were, and what was found. */
export async function runRaces(
  world: RaceWorld,
  rounds: readonly (readonly string[])[],
  random: Random,
  { lanes, isSpent = () => false, onFinding, onDeadlock }: RunOptions,
): Promise<{ ran: number; findings: Finding[]; pairs: number }> {
  const left = [...rounds].toReversed()
  const findings: Finding[] = []
  const met = new Set<string>()
  let ran = 0
  const runLane = async () => {
    while (left.length > 0 && !isSpent()) {
      await using org = await openedOrg(world)
      for (let round = 0; round < roundsOfOrg && left.length > 0 && !isSpent(); round += 1) {
        const operations = left.pop() ?? []
        const before = onDeadlock && (await world.deadlocks())
        const found = await runRound(org, operations, random).catch((error: unknown) => {
          if (round > 0 && error instanceof Unprepared) return undefined
          throw error
        })
        if (!found) {
          left.push(operations) // for a new org
          break
        }
        if (before !== undefined && (await world.deadlocks()) > before) onDeadlock?.(operations)
        ran += 1
        met.add(operations.toSorted().join(' | '))
        findings.push(...found)
        for (const finding of found) onFinding?.(finding)
      }
    }
  }
  await Promise.all(Array.from({ length: lanes }, runLane))
  return { ran, findings, pairs: met.size }
}

/** On a machine that stands still, one of the many things that an org needs may time out. */
async function openedOrg(world: RaceWorld, tries = 5): Promise<RaceOrg> {
  try {
    return await RaceOrg.open(world)
  } catch (error) {
    if (tries === 1) throw error
    world.unanswered.count(`an org that could not be opened (${messageOf(error)})`)
    return openedOrg(world, tries - 1)
  }
}
