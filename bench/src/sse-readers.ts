import { get } from 'node:http'

/** What the readers saw: for every entry, when each of them had it. */
export interface ReadersReport {
  delivered: number
  arrivalsMs: number[][]
}

// Readers of one log in a process of their own, so that reading does not slow what is measured.
const { READERS_URL: url = '', READERS_KEY: key = '' } = process.env
const [count, entries] = [Number(process.env['READERS_COUNT']), Number(process.env['READERS_ENTRIES'])]
const arrivalsMs: number[][] = Array.from({ length: entries }, () => [])
let caughtUp = 0
let delivered = 0
let done = 0

for (let reader = 0; reader < count; reader += 1) read()

function read() {
  let unread = ''
  let seen = 0
  const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream' }
  const asked = get(url, { headers, agent: false }, (response) => {
    if (response.statusCode !== 200) throw new Error(`a reader was answered ${response.statusCode}`)
    response.setEncoding('latin1')
    response.on('data', (piece: string) => {
      const nowMs = Date.now()
      const blocks = (unread + piece).split('\n\n')
      unread = blocks.pop() ?? ''
      for (const block of blocks) seen += take(block, seen, nowMs)
      if (seen === entries) finish()
    })
  })
  asked.on('error', (error) => {
    throw error
  })
}

/** In order and once, or it does not count. */
function take(block: string, seen: number, nowMs: number): number {
  if (block.startsWith('event: log.caught_up')) {
    caughtUp += 1
    if (caughtUp === count) process.send?.('ready')
  }
  if (!block.startsWith(`id: ${seen + 1}\n`)) return 0
  arrivalsMs[seen]?.push(nowMs)
  delivered += 1
  return 1
}

function finish() {
  done += 1
  const report: ReadersReport = { delivered, arrivalsMs }
  if (done === count) process.send?.(report)
}

process.on('SIGTERM', () => process.exit(0))
