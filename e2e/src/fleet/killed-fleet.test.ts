import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { migratedDatabase } from '@switchroom/gateway/testing/databases'
import { afterwards } from '@switchroom/launcher/testing/folders'
import { Chance } from '../chance.ts'
import { Fleet } from './fleet.ts'
import { FleetLoad } from './fleet-load.ts'

/** How long parts of the fleet are killed: `FLEET_SECONDS=180` before a release. */
const killsForMs = Number(process.env['FLEET_SECONDS'] ?? 20) * 1000
/** The same again with `SEED=<seed>`; how the machine shares its time is not in it. */
const seed = Number(process.env['SEED'] ?? randomInt(2 ** 32))

/** One part after another in any order, each again once it is back; every part at least once. */
async function killInTurn({ mortals }: Fleet, chance: Chance): Promise<string[]> {
  const killed: string[] = []
  const untilMs = Date.now() + killsForMs
  while (Date.now() < untilMs)
    for (const victim of chance.shuffled(mortals)) {
      await pause(500 + chance.below(2500))
      if (Date.now() > untilMs && killed.includes(victim.name)) continue
      await victim.kill()
      await pause(chance.below(1000))
      await victim.start()
      killed.push(victim.name)
    }
  return killed
}

test('gateways, workers and the proxy of a fleet are killed every few seconds while people chat, write, call and are called: nothing is lost, nothing is doubled, every call ends, every reader has a log without gaps, and every answer is a documented one', async (t) => {
  t.diagnostic(`SEED=${seed}`)
  const chance = new Chance(seed)
  const database = await migratedDatabase()
  afterwards(t, () => database.drop())
  const fleet = await Fleet.start(t, database.url)
  const load = await FleetLoad.begin(t, fleet, chance)
  const killed = await killInTurn(fleet, chance)
  t.diagnostic(`killed: ${killed.join(', ')}`)
  t.diagnostic(await load.stop())
  assert.ok(fleet.mortals.every(({ name }) => killed.includes(name)))
  await load.assertHeld()
})
