import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { until } from '@switchroom/gateway/testing/until'
import type { Lasting } from '@switchroom/launcher/testing/folders'
import { Chance } from '../chance.ts'
import { Phone } from '../spoken-phone.ts'
import { Fleet } from './fleet.ts'
import { Apps, FleetChat, spokenAgent } from './fleet-chats.ts'
import { Appender, Reader } from './fleet-logs.ts'
import { KeptLogs } from './fleet-verdict.ts'
import { GatewayWatch } from './gateway-watch.ts'
import { DatabaseAddress } from './postgres-pair.ts'

const t: Lasting = { after }
/** What operators are promised, from when the database takes connections. */
const servesAgainWithinMs = 10_000
/** Longer than a gateway may be silent until others take its calls over. */
const longOutageMs = 6_000

test('a database that cuts every connection, restarts, crashes, and is replaced by its follower at the same address is served again within ten seconds each time: until then requests are 503 with Retry-After, and no answered write, no chat and no spoken call is lost', async (context) => {
  const { address, first } = await DatabaseAddress.open(t)
  const fleet = await Fleet.start(t, address.url)
  const apps = await Apps.connect(t, fleet)
  const chance = new Chance(1)
  const chat = await FleetChat.open(t, fleet, 'chat')
  const phone = await Phone.call(t, spokenAgent, fleet.workers[0].sipPort)
  await phone.untilSpokenTo()
  const appender = await Appender.open(fleet, chance)
  const watched = await Promise.all(fleet.gateways.map(() => Appender.open(fleet, chance)))
  const watches = fleet.gateways.map(
    (gateway, at) => new GatewayWatch(gateway, fleet.key, watched[at]?.call ?? ''),
  )
  const calls = [chat, appender, ...watched].map(({ call }) => call)
  const readers = calls.map((call) => [call, new Reader(fleet, call)] as const)

  let isOver = false
  const over = () => isOver || fleet.isOver
  const load = Promise.all([
    chat.converse(over),
    appender.append(over),
    ...watches.map((watch) => watch.watch(over)),
  ])
  load.catch(() => {}) // awaited below
  const servedAgain = async (what: string) => {
    const sinceMs = performance.now()
    for (const watch of watches)
      await until(`it serves after ${what}`, () => watch.servedSince(sinceMs), servesAgainWithinMs)
    context.diagnostic(`serving ${Math.round(performance.now() - sinceMs)} ms after ${what}`)
    await pause(1000)
  }

  address.cut()
  await servedAgain('every connection was cut')

  await first.stop()
  await pause(1000)
  const restarted = await address.start(t, 'first')
  await servedAgain('a restart')

  restarted.kill()
  await restarted.ended
  const recovered = await address.start(t, 'first')
  await servedAgain('a crash')

  const follower = await address.follow(t, recovered)
  recovered.kill()
  await recovered.ended
  await pause(longOutageMs)
  await follower.lead()
  await servedAgain('its follower took its place')

  isOver = true
  await load
  await phone.hangUp()
  const logs = await KeptLogs.read(fleet)
  await logs.assertRead(readers)
  chat.assertWhole(logs.textsOf(chat.call))
  appender.assertWhole(logs.textsOf(appender.call))
  assert.deepEqual(
    [...apps.lookedUp],
    chat.questions.map((question) => [question, 1]),
  )
  for (const [at, watch] of watches.entries()) {
    assert.deepEqual(watch.wrong, [], 'answers that are neither done nor to be repeated later')
    assert.ok(watch.refusals > 0, 'some requests came while there was no database')
    assert.deepEqual(logs.textsOf(watched[at]?.call ?? '')('agent.message'), watch.texts)
  }
  const [spoken] = await fleet.rows<{ reason: string }>(
    `select entry::json -> 'data' ->> 'reason' as reason from entries e join calls c on c.id = e.log
     where c.channel = 'phone' and e.type = 'call.ended'`,
  )
  assert.deepEqual(spoken, { reason: 'hangup' })
  for (const gateway of fleet.gateways) assert.ok(gateway.isAlive, `${gateway.name} did not end`)
})
