import { after } from 'node:test'

type End = () => Promise<void>

let ends: End[] | undefined

/** From now on what test files keep for the process is ended by the caller, after the last of them. */
export function endOfProcess(): readonly End[] {
  ends = []
  return ends
}

/** Ends something that all test files of the process share; in a process with one file, after its tests. */
export function atEndOfProcess(end: End): void {
  if (ends) ends.push(end)
  else after(end)
}
