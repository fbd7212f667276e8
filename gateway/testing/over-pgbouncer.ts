import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { startThrowawayPostgres } from '@switchroom/launcher/postgres'
import { missing } from '@switchroom/tools/debian-packages'
import { PgBouncer } from './pgbouncer.ts'
import { poolerVariable } from './pooler-settings.ts'

// By hand: node gateway/testing/over-pgbouncer.ts gateway/src/people/members/members.test.ts …
// Runs tests with every gateway of theirs over PgBouncer, but for its one direct connection.
const why = missing('pgbouncer')
if (why) throw new Error(why)

const postgres = await startThrowawayPostgres({ settings: ['autovacuum=off', 'jit=off'] })
const databaseUrl = postgres.url('postgres')
// A database is dropped only once nobody is connected to it any more.
const pooler = await PgBouncer.start(databaseUrl, { poolSize: 5, more: ['server_idle_timeout = 1'] })
try {
  const tests = spawn(
    process.execPath,
    ['--test', '--test-reporter=spec', '--test-concurrency=2', ...process.argv.slice(2)],
    {
      stdio: 'inherit',
      env: {
        ...process.env,
        TEST_POSTGRES_URL: databaseUrl,
        TEST_DISK: process.env['TMPDIR'] ?? '/tmp',
        [poolerVariable]: String(pooler.port),
      },
    },
  )
  const [status] = await once(tests, 'exit')
  process.exitCode = status as number
} finally {
  await pooler[Symbol.asyncDispose]()
  await postgres.stop()
}
