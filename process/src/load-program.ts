import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { endOnSignals } from './first-process.ts'

/** Loads a program with a compile cache: the next start takes half the time, and a gateway 25 MB less. */
export async function loadProgram(load: () => Promise<unknown>): Promise<void> {
  endOnSignals()
  // In node_modules: a user who can write there could change the packages as well.
  if (!process.env['NODE_COMPILE_CACHE'])
    enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/switchroom'))
  await load()
}

/** Keeps V8's young generation small while a program starts, which would otherwise keep 20 MB for later. */
export async function withSmallHeap(start: () => Promise<unknown>): Promise<void> {
  setFlagsFromString('--semi-space-growth-factor=1')
  await start()
  setFlagsFromString('--semi-space-growth-factor=2')
}
