import type { Random } from './random.ts'
import type { Pair } from './race-pairs.ts'

/** The rounds to run: each pair so often, in an order that follows from the seed, and now and then any three operations. */
export function plannedRounds(
  pairs: readonly Pair[],
  operations: readonly string[],
  roundsOfEach: number,
  random: Random,
): (readonly string[])[] {
  const ofPairs = pairs.flatMap((pair) => Array.from({ length: roundsOfEach }, () => pair.operations))
  const ofThree = Array.from({ length: Math.ceil(ofPairs.length / 10) }, () =>
    random.shuffled(operations).slice(0, 3),
  )
  return random.shuffled([...ofPairs, ...ofThree])
}
