import { Deployment } from './deployment.ts'
import { asFailure } from './failures.ts'
import { onOrphaned } from './orphaned.ts'
import { readSettings } from './settings.ts'
import { complain, say } from './steps.ts'

const samePressMs = 1000

// If the terminal is closed, everything still stops in order.
process.stdout.on('error', () => {})
process.stderr.on('error', () => {})

const interrupted = new AbortController()
let deployment: Deployment | undefined
let firstAskedAt = 0

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    firstAskedAt ||= Date.now()
    // npm forwards the Ctrl-C that the terminal has already sent to every process.
    const isAgain = signal === 'SIGINT' && Date.now() - firstAskedAt > samePressMs
    if (isAgain) {
      deployment?.kill()
      process.exit(130)
    }
    interrupted.abort()
  })
}

onOrphaned(() => interrupted.abort())

let status = 0
try {
  deployment = new Deployment(readSettings(process.env), interrupted.signal)
  await deployment.start()
  say('Press Ctrl-C to stop.')
  await deployment.untilLost()
} catch (error) {
  if (!interrupted.signal.aborted) {
    const failure = asFailure(error, deployment?.dataFolder ?? 'the data folder')
    complain(failure.message)
    status = failure.status
  }
}
await deployment?.stop()
if (interrupted.signal.aborted) say('stopped')
process.exit(status)
