import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

// Later starts take half the time. Beside the packages, for whoever writes there could change those too.
if (!process.env['NODE_COMPILE_CACHE'])
  enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/switchroom'))

await import('./run.ts')
