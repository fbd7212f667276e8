import type { AgentsRoom } from '../agents/room.ts'
import type { CallsRoom } from '../calls/room.ts'
import type { Infrastructure } from '../database/room.ts'
import type { PeopleRoom } from '../people/room.ts'
import { AttemptTasks } from './attempts/attempt-tasks.ts'
import { Attempts } from './attempts/attempts.ts'
import { Reports } from './reports/reports.ts'
import { RunProgresses } from './runs/run-progress.ts'
import { RunNotices } from './runs/run-notices.ts'
import { Runs } from './runs/runs.ts'
import { Scenarios } from './scenarios/scenarios.ts'

/** Scenarios, and runs that call agents with them. */
export function makeEvals(parts: Infrastructure & PeopleRoom & AgentsRoom & CallsRoom) {
  const { signals, logger, dueChecks } = parts
  const runNotices = new RunNotices(signals)
  const scenarios = new Scenarios(parts)
  const runs = new Runs({ ...parts, scenarios, runNotices })
  const attempts = new Attempts({ ...parts, runNotices, gateway: parts.runningGateways.id })
  return {
    scenarios,
    runs,
    runProgresses: new RunProgresses(runs, runNotices, logger),
    evalReports: new Reports(runs),
    attemptTasks: new AttemptTasks(attempts, dueChecks, runNotices, logger),
  }
}
