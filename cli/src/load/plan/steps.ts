/** A stretch of the run with the same load. */
export interface Step {
  /** From the beginning of the run. */
  fromMs: number
  toMs: number
  /** Of the whole load. */
  share: number
}

export interface StepsWanted {
  rampMs: number
  rampSteps: number
  holdMs: number
}

/** The ramp climbs in even steps and the last step holds the whole load: it is the one that is judged. */
export function stepsOf({ rampMs, rampSteps, holdMs }: StepsWanted): Step[] {
  const count = rampMs > 0 ? rampSteps : 0
  const ramp = Array.from({ length: count }, (_, at) => ({
    fromMs: (rampMs * at) / count,
    toMs: (rampMs * (at + 1)) / count,
    share: (at + 1) / (count + 1),
  }))
  return [...ramp, { fromMs: rampMs, toMs: rampMs + holdMs, share: 1 }]
}

/** How many of the places work in a step: at least one. */
export const placesIn = (step: Step, places: number): number => Math.max(1, Math.round(places * step.share))
