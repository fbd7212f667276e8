import { accessSync, constants, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { type Postgres, startThrowawayPostgres } from '@switchroom/launcher/postgres'

const memory = '/dev/shm'
const neededBytes = 3 * 1024 ** 3 // the databases that are there together, and what the server writes ahead

/** Hundreds of databases come and go in a whole run; none of them has to outlive the machine. */
const settings = ['autovacuum=off', 'wal_level=minimal', 'max_wal_senders=0', 'jit=off', 'io_method=sync']

/** The PostgreSQL of the tests, in memory if there is room: making a database there takes a fifth of the CPU. */
export const startTestPostgres = (signal: AbortSignal): Promise<Postgres> =>
  startThrowawayPostgres({ signal, parent: hasRoom() ? memory : tmpdir(), settings })

function hasRoom(): boolean {
  try {
    accessSync(memory, constants.W_OK)
    const { bavail, bsize } = statfsSync(memory)
    return bavail * bsize >= neededBytes
  } catch {
    return false
  }
}
