import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { emptyDatabase } from '@switchroom/gateway/testing/databases'
import { afterwards, temporaryFolder } from '@switchroom/launcher/testing/folders'
import { layOutRelease, missingRelease } from '@switchroom/launcher/testing/older-release'
import { Chance } from '../chance.ts'
import { Fleet } from './fleet.ts'
import { FleetLoad } from './fleet-load.ts'
import { Appender } from './fleet-logs.ts'
import { GatewayWatch } from './gateway-watch.ts'

/** What was landed before the migrations from `0051_words_at_once.sql` on; `OLDER_RELEASE=<commit>` for another. */
const olderRelease = process.env['OLDER_RELEASE'] ?? '8a419c8'
const seed = Number(process.env['SEED'] ?? randomInt(2 ** 32))
/** How long each mixture of versions serves. */
const togetherMs = 4_000

const skip = await missingRelease(olderRelease)

test(
  'gateways and workers of the last release are replaced one by one under load: both versions serve the new schema together, no request is refused, and nothing is lost',
  { skip },
  async (t) => {
    t.diagnostic(`SEED=${seed}`)
    const release = temporaryFolder(t)
    await layOutRelease(olderRelease, release)
    const database = await emptyDatabase()
    afterwards(t, () => database.drop())
    const chance = new Chance(seed)
    const fleet = await Fleet.start(t, database.url, release)
    const migrations = async () => (await fleet.rows('select from migrations')).length
    const before = await migrations()
    const load = await FleetLoad.begin(t, fleet, chance)
    await pause(togetherMs)

    for (const [at, gateway] of fleet.gateways.entries()) {
      // The other one serves meanwhile: at first the older version, while the new one migrates beside it.
      const other = fleet.gateways[1 - at] ?? gateway
      const { call } = await Appender.open(fleet, chance)
      const watch = new GatewayWatch(other, fleet.key, call)
      let isReplaced = false
      const watching = watch.watch(() => isReplaced)
      gateway.release = undefined
      assert.equal(await gateway.terminate(), 0)
      await gateway.start()
      await pause(togetherMs)
      isReplaced = true
      await watching
      assert.deepEqual([watch.wrong, watch.refusals], [[], 0], `what ${other.name} answered`)
    }
    assert.ok((await migrations()) > before, 'the new version has migrated')
    for (const worker of fleet.workers) {
      worker.release = undefined
      assert.equal(await worker.terminate(), 0)
      await worker.start()
    }
    await pause(togetherMs)
    t.diagnostic(await load.stop())
    await load.assertHeld()
  },
)
