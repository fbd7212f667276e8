import { unprocessable } from '../foundation/refusals.ts'

/** `dry_run` as a query says it. */
export function isDryRun(said: string | undefined): boolean {
  if (said === undefined || said === 'false' || said === '0') return false
  if (said === 'true' || said === '1') return true
  throw unprocessable('dry_run: must be true or false')
}
