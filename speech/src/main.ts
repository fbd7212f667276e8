import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'

// Later starts take half the time. Beside the packages, for whoever writes there could change those too.
if (!process.env['NODE_COMPILE_CACHE'])
  enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/switchroom'))

// Starting makes much garbage at once; without this V8 would keep room for more of it.
setFlagsFromString('--semi-space-growth-factor=1')
await import('./run.ts')
setFlagsFromString('--semi-space-growth-factor=2')
