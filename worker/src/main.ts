import { loadProgram } from '@switchroom/process/load-program'

await loadProgram(() => import('./run.ts'))
