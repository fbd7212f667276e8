import { workerData } from 'node:worker_threads'

// Ends its whole process when it uses too much memory or its parent is gone. Decoders work in one stretch and make arrays
// of whatever length a file declares; no limit of the runtime counts those.

const everyMs = 20
const { mostBytes, host } = workerData as { mostBytes: number; host: number }

setInterval(() => {
  if (process.memoryUsage.rss() > mostBytes || process.ppid !== host) process.kill(process.pid, 'SIGKILL')
}, everyMs)
