import { workerData } from 'node:worker_threads'

// Ends its whole process when that holds too much. Decoders work in one stretch and make arrays of whatever length
// a file tells them; no limit of the runtime counts those.

const everyMs = 20
const { mostBytes } = workerData as { mostBytes: number }

setInterval(() => {
  if (process.memoryUsage.rss() > mostBytes) process.kill(process.pid, 'SIGKILL')
}, everyMs)
