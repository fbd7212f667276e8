import type { FailureKind } from '../measuring/measurements.ts'
import type { OwnHealth } from '../measuring/own-delays.ts'
import type { Percentiles } from '../measuring/percentiles.ts'
import type { Measure } from '../plan/targets.ts'

/** What `--report json` prints; docs/load.md names every field. */
export interface LoadReport {
  version: 1
  verdict: 'kept' | 'broken' | 'not valid'
  /** A sentence for everything that is broken or makes the run worthless. */
  reasons: string[]
  profile: string
  seed: number
  gateway: { url: string; version: string; env: string }
  generator: { node: string; cores: number; machine: string }
  started_at: string
  seconds: number
  series: SeriesReport[]
  steps: StepReport[]
  targets: JudgedTarget[]
  failures: FailureKind[]
  timeline: TimelinePoint[]
  /** A sentence for everything that could not be removed afterwards. */
  left_behind: string[]
}

export interface SeriesReport {
  name: string
  title: string
  /** At full load: who does something at once, and how often one of them does. */
  places: number
  every_s: number
}

export interface StepReport {
  from_s: number
  to_s: number
  share: number
  series: Record<string, StepSeries>
  generator: OwnHealth
  /** Of the deployment's GET /metrics, at the end of the step; null without an address. */
  deployment: Record<string, number> | null
}

export interface StepSeries {
  /** That were due in this step: how many were done, and how many failed. */
  done: number
  failed: number
  /** That were finished in the time of this step, whenever they were due. */
  per_s: number
  latency_ms: Percentiles | null
}

export interface JudgedTarget {
  series: string
  measure: Measure
  limit: number
  /** Null if nothing was measured. */
  measured: number | null
  verdict: 'kept' | 'broken'
}

export interface TimelinePoint {
  at_s: number
  series: Record<string, { p50_ms: number | null; p95_ms: number | null; per_s: number; failed: number }>
}
