import { pino } from 'pino'
import { signalsSuite } from '../../testing/signals-suite.ts'
import { DirectConnection } from './direct-connection.ts'
import { PostgresSignals } from './postgres-signals.ts'

const logger = pino({ enabled: false })

signalsSuite('PostgreSQL', {
  settings: {},
  make: ({ database }) => {
    const direct = new DirectConnection(database.url, logger)
    const signals = new PostgresSignals(direct, logger)
    return {
      signals,
      start: async () => {
        await signals.start()
        await direct.start()
      },
      stop: async () => {
        await signals.stop()
        await direct.stop()
      },
    }
  },
  cut: async ({ sql }) => {
    await sql(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'switchroom-signals' and datname = current_database()`,
    )
  },
  takeAway: ({ database }) => database.takeAway(),
  giveBack: ({ database }) => database.giveBack(),
  servesWithout: false,
})
