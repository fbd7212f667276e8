import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

// Loaded into every process of a bench (`--import`): writes down how late its event loop is.

const folder = process.env['BENCH_LOOP_DELAYS']
const resolutionMs = 10
const everyMs = 5_000

if (folder !== undefined && isMainThread) {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs })
  delay.enable()
  const write = () => {
    const [p50, p99, most] = [delay.percentile(50), delay.percentile(99), delay.max].map((ns) => ns / 1e6)
    const program = process.argv[1] ?? ''
    const file = join(folder, `${process.pid}.json`)
    writeFileSync(`${file}.new`, JSON.stringify({ program, p50, p99, most }))
    renameSync(`${file}.new`, file) // read while it is written
  }
  setInterval(write, everyMs).unref()
}
