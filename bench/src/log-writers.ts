import { Database, inlined } from '@switchroom/gateway/database/database'
import { DirectConnection } from '@switchroom/gateway/database/direct-connection'
import { PostgresSignals } from '@switchroom/gateway/database/postgres-signals'
import { systemClock } from '@switchroom/gateway/foundation/clock'
import type { LogRef } from '@switchroom/gateway/calls/log/entries'
import { LiveLogs } from '@switchroom/gateway/calls/log/live-logs'
import { Log } from '@switchroom/gateway/calls/log/log'
import { logger, refOf, silent, type Way, type WriteRound, type WrittenRound } from './log-rounds.ts'

const entry = { type: 'agent.message', data: { text: 'Of course, to which day?', messageId: 'm_2' } }
const charge = async () => {}

type Write = (ref: LogRef) => Promise<unknown>

async function startGateway(url: string, gateway: string): Promise<Record<Way, Write>> {
  const database = new Database(url, () => {})
  const direct = new DirectConnection(url, logger)
  const signals = new PostgresSignals(direct, logger)
  const liveLogs = new LiveLogs(database, signals, gateway, logger)
  const parts = { database, clock: systemClock, logger, liveLogs, gateway, charge }
  const [log, quiet] = [new Log({ ...parts, signals }), new Log({ ...parts, signals: silent })]
  await signals.start()
  await direct.start()
  const inside = (ref: LogRef) =>
    database.transaction(async (tx) => {
      const kept = await quiet.appendIn(tx, ref, [entry])
      tx.withCommit(notified(ref.id, kept.at(-1)?.seq ?? 0))
    })
  const notified = (id: string, seq: number) =>
    inlined(`select pg_notify('log_grew', $1)`, `${gateway}\n${JSON.stringify([id, seq])}`)
  return {
    after: (ref) => log.append(ref, [entry]),
    without: (ref) => quiet.append(ref, [entry]),
    inside,
  }
}

async function writeRound(gateways: readonly Gateway[], { way, roundMs }: WriteRound): Promise<number[]> {
  const timesMs: number[] = []
  const untilMs = performance.now() + roundMs
  const keepWriting = async (write: Write, ref: LogRef) => {
    while (performance.now() < untilMs) {
      const beforeMs = performance.now()
      await write(ref)
      timesMs.push(performance.now() - beforeMs)
    }
  }
  await Promise.all(gateways.flatMap(({ refs, writes }) => refs.map((ref) => keepWriting(writes[way], ref))))
  return timesMs
}

interface Gateway {
  refs: readonly LogRef[]
  writes: Record<Way, Write>
}

// Some of the gateways, in a process of their own: one core for all would measure that core.
const { WRITERS_URL: url = '', WRITERS_GATEWAYS: names = '', WRITERS_EACH: each } = process.env
const gateways = await Promise.all(
  names.split(',').map(async (gateway) => ({
    refs: Array.from({ length: Number(each) }, (_, writer) => refOf(gateway, writer)),
    writes: await startGateway(url, gateway),
  })),
)
const answer = async (round: WriteRound) => {
  const written: WrittenRound = { timesMs: await writeRound(gateways, round) }
  process.send?.(written)
}
process.on('message', (round: WriteRound) => void answer(round))
process.on('SIGTERM', () => process.exit(0))
process.send?.('ready')
