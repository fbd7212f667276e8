import { loadProgram, withSmallHeap } from '@switchroom/process/load-program'

await loadProgram(() => withSmallHeap(() => import('./run.ts')))
