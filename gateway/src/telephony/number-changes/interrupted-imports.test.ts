import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { GatewayProcess } from '../../../testing/gateway-process.ts'
import {
  lockReconciliation,
  newLine,
  NumberFixture,
  type NumberOrg,
} from '../../../testing/telephony/number-fixture.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { until } from '../../../testing/until.ts'
import { secondMs } from '../../foundation/clock.ts'

const fixture = await NumberFixture.start()
after(() => fixture[Symbol.asyncDispose]())
const { carrier, media, deployment } = fixture

/** An org with a number on a trunk of its own PBX, so that an import writes as often as one can. */
async function newMover() {
  const org = await fixture.newOrg()
  const number = newLine()
  const account = await org.account(number)
  account.numbers[0]!.trunk_sid = account.addTrunk('PBX', 'sip:pbx.example:5060').sid
  const writes = () => carrier.requests.filter(({ method, user }) => method !== 'GET' && user === account.sid)
  return { org, number, account, writes }
}
type Mover = Awaited<ReturnType<typeof newMover>>

async function assertWhole({ org, number, account }: Mover) {
  const [, ours, ...more] = account.trunks
  assert.deepEqual(more, [])
  assert.equal(ours?.friendly_name, 'svc voice.example')
  assert.equal(ours.origination.length, 1)
  assert.equal(account.numbers[0]!.trunk_sid, ours.sid)
  const { trunks, rules } = media.sandbox.store
  const named = <T extends { name: string }>(all: T[]) => all.filter(({ name }) => name.startsWith(org.id))
  assert.deepEqual(
    [named(trunks).map(({ numbers }) => numbers), named(rules).length, (await org.list()).length],
    [[[number]], 1, 1],
  )
}

const whole = (org: NumberOrg, number: string) => org.import({ number, move: true })

test('an import that loses the carrier after any of its writes writes nothing twice when it is repeated (N-179, N-180, N-181, T-43, ND-26)', async () => {
  for (let writes = 1; writes <= 4; writes += 1) {
    const mover = await newMover()
    carrier.dieAfter(writes)
    assert.equal((await whole(mover.org, mover.number)).status, 502)
    carrier.revive()
    assert.deepEqual(await mover.org.list(), [])
    done(await whole(mover.org, mover.number))
    await assertWhole(mover)
    assert.equal(mover.writes().length, 4, `after ${writes} writes`)
  }
})

test('an import that loses the media server after any of its writes writes nothing twice when it is repeated (N-179, N-180, ND-26)', async () => {
  for (const isAnswered of [true, false])
    for (let writes = isAnswered ? 0 : 1; writes < (isAnswered ? 2 : 3); writes += 1) {
      const mover = await newMover()
      const before = media.sandbox.writes.length
      media.sandbox.dieAfter(writes, isAnswered)
      assert.equal((await whole(mover.org, mover.number)).status, 502)
      media.sandbox.revive()
      assert.deepEqual(await mover.org.list(), [])
      done(await whole(mover.org, mover.number))
      await assertWhole(mover)
      assert.deepEqual([mover.writes().length, media.sandbox.writes.length - before], [4, 2])
    }
})

test('an import whose gateway is killed between any two writes writes nothing twice when it is repeated (N-180, ND-26)', async () => {
  const settings = {
    SVC_DOMAIN: 'voice.example',
    ...carrier.settings,
    SVC_MEDIA_URL: media.sandbox.address.url,
    SVC_MEDIA_KEY: media.sandbox.key,
    SVC_MEDIA_SECRET: media.sandbox.secret,
  }
  for (let writes = 0; writes <= 4; writes += 1) {
    const mover = await newMover()
    const { key } = await mover.org.org.person('admin')
    await using _ = await lockReconciliation(deployment)
    await using dying = await GatewayProcess.start(deployment, settings)
    // With every write at the carrier let through, it is the route that is never written.
    const stuck = writes === 4 ? stuckAtRoute : stuckAtCarrier
    await stuck(mover, writes, async (isStuck) => {
      const asked = fetch(`${dying.url}/v1/numbers`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ number: mover.number, agent: 'desk', move: true }),
      })
      await Promise.all([assert.rejects(asked), until('it is stuck', isStuck).then(() => dying.kill())])
    })
    done(await whole(mover.org, mover.number))
    await assertWhole(mover)
    assert.equal(mover.writes().length, writes === 4 ? 4 : 5) // the one that hung was never done
  }
})

test('a number whose new route broke off rings as before (N-180, ND-26)', async () => {
  const org = await fixture.newOrg()
  const number = newLine()
  await org.imported({ number, hooked: true })
  await org.peer('pbx', '8.8.8.8')
  await org.approveNetworks()
  media.sandbox.refuse('CreateSIPInboundTrunk', 'internal', 'not now')
  assert.equal((await org.import({ number, account: 'pbx' })).status, 502)
  assert.equal(org.trunk('sandbox', 'apicarrier'), undefined)
  assert.equal((await org.list())[0].origin, 'hooked')
  deployment.clock.forward(2 * secondMs)
  await until('it rings as before', () => org.trunk('sandbox', 'apicarrier')?.numbers.includes(number))
  await until('its path says so', async () => (await org.path(number)).steps[2].state === 'ok')
})

type Dying = (isStuck: () => boolean | Promise<boolean>) => Promise<void>

/** The carrier never answers the write after so many. */
async function stuckAtCarrier({ writes }: Mover, after_: number, work: Dying) {
  carrier.fault = ({ method }) => (method !== 'GET' && writes().length > after_ ? 'hangs' : undefined)
  try {
    await work(() => writes().length === after_ + 1)
  } finally {
    carrier.fault = () => undefined
  }
}

async function stuckAtRoute({ org }: Mover, _writes: number, work: Dying) {
  const waits = `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%insert into numbers%'`
  const client = await deployment.gateway.services.database.pool.connect()
  try {
    await client.query('begin; lock table numbers in share row exclusive mode')
    await work(async () => org.rule('sandbox') !== undefined && (await deployment.sql(waits)).rows.length > 0)
  } finally {
    await client.query('rollback')
    client.release()
  }
}
