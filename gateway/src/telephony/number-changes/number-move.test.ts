import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Environment } from '@switchroom/contract/scopes'
import { refused } from '../../../testing/client.ts'
import { GatewayProcess } from '../../../testing/gateway-process.ts'
import {
  lockReconciliation,
  newLine,
  NumberFixture,
  type NumberOrg,
} from '../../../testing/telephony/number-fixture.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { until } from '../../../testing/until.ts'

const fixture = await NumberFixture.start({
  separate: true,
  settings: { SVC_SIP_DOMAIN: 'live.example', SVC_SANDBOX_SIP_DOMAIN: 'try.example' },
})
after(() => fixture[Symbol.asyncDispose]())
const { carrier, media, deployment } = fixture

const move = (org: NumberOrg, number: string, env: string, from: Environment = 'sandbox') =>
  org.admin.in(from).put(`/v1/numbers/${number}/env`, { env })
const origin = (name: string) => `sip:${name}.example:5060;transport=udp`
const trunksOf = (env: Environment, number: string) =>
  media[env].store.trunks.filter(({ numbers }) => numbers.includes(number)).map(({ name }) => name)

test('a number moves with its row, off the old media server, onto the new one, and at its carrier (N-161, N-162, N-163, N-172, T-48, ND-38)', async () => {
  const org = await fixture.newOrg()
  const number = newLine()
  const account = await org.account(number)
  await org.imported({ number })
  const { route, steps, dry_run } = done(await move(org, number, 'production'))
  assert.deepEqual([route.env, route.number, dry_run], ['production', number, false])
  assert.deepEqual(steps, [
    `carrier trunk ${origin('live')}: done`,
    'off trunk svc try.example: done',
    `carrier number ${number}: done`,
    "off the other environment's media server: done",
    `inbound trunk ${org.id}/production/apicarrier: done`,
    `rule ${org.id}/production: done`,
    `route ${number} to desk: done`,
  ])
  assert.deepEqual([await org.list(), (await org.list('production')).length], [[], 1])
  assert.deepEqual(
    [trunksOf('sandbox', number), trunksOf('production', number)],
    [[], [`${org.id}/production/apicarrier`]],
  )
  assert.equal(org.rule('sandbox'), undefined)
  const live = account.trunks.find(({ friendly_name }) => friendly_name === 'svc live.example')
  assert.equal(account.numbers[0]!.trunk_sid, live?.sid)
  done(await move(org, number, 'sandbox', 'production'))
  assert.deepEqual([account.trunks.length, trunksOf('production', number).length], [2, 0])
  assert.deepEqual(trunksOf('sandbox', number), [`${org.id}/sandbox/apicarrier`])
})

test('moving takes production access and a number that is there (N-161, ND-38, T-49)', async () => {
  const org = await fixture.newOrg()
  const number = newLine()
  await org.imported({ number, hooked: true })
  const access = 'moving a number takes production access, in either direction'
  const { client } = await org.org.person('manager')
  refused(await client.put(`/v1/numbers/${number}/env`, { env: 'production' }), 403, access)
  refused(await client.put(`/v1/numbers/${number}/env`, { env: 'sandbox' }), 403, access)
  const able = (await org.org.person('manager', { production: true })).client
  refused(
    await able.put(`/v1/numbers/${number}/env`, { env: 'staging' }),
    422,
    'env: must be sandbox or production',
  )
  refused(await able.put(`/v1/numbers/${number}/env`, {}), 422, 'env: is required')
  const none = newLine()
  refused(await move(org, none, 'production'), 404, `this org has no number ${none} in sandbox`)
  for (const env of ['sandbox', 'production'])
    refused(await move(org, number, env, 'production'), 404, `this org has no number ${number} in production`)
  const told = media.sandbox.writes.length
  const { route, steps } = done(await move(org, number, 'sandbox'))
  assert.deepEqual([route.env, steps], ['sandbox', [`route ${number} to desk: stands`]])
  assert.equal(media.sandbox.writes.length, told)
  done(await able.put(`/v1/numbers/${number}/env`, { env: 'production' }))
})

test('moving a number that others point here answers where to point it now (ND-38)', async () => {
  const org = await fixture.newOrg()
  const [hooked, peers] = [newLine(), newLine()]
  await org.imported({ number: hooked, hooked: true })
  await org.peer('pbx', '8.8.8.8')
  await org.imported({ number: peers, account: 'pbx' })
  const asked = carrier.requests.length
  const to = (number: string) => `, for calls sent to sip:${number}@live.example:5060`
  assert.deepEqual(done(await move(org, hooked, 'production')).steps, [
    "off the other environment's media server: done",
    `inbound trunk ${org.id}/production/apicarrier${to(hooked)}: done`,
    `rule ${org.id}/production: done`,
    `route ${hooked} to desk: done`,
  ])
  assert.deepEqual(done(await move(org, peers, 'production')).steps, [
    "off the other environment's media server: stands",
    'network 8.8.8.8: waiting',
    `inbound trunk ${org.id}/production/sip/pbx${to(peers)}: waiting`,
    `rule ${org.id}/production: waiting`,
    `route ${peers} to desk: done`,
  ])
  assert.equal(carrier.requests.length, asked)
})

test('a messaging number moves with its row alone (N-161, ND-27, ND-38)', async () => {
  const org = await fixture.newOrg()
  const number = newLine()
  const { phone_number_id, access_token } = fixture.messaging.addNumber(number)
  done(await org.admin.put('/v1/carrier', { phone_number_id, access_token }))
  await org.imported({ number, channel: 'msgapp' })
  const asked = fixture.asked
  const { route, steps } = done(await move(org, number, 'production'))
  assert.deepEqual([route.env, steps], ['production', [`route ${number} to desk: done`]])
  assert.deepEqual([await org.list(), (await org.list('production')).length], [[], 1])
  assert.deepEqual(fixture.asked, asked)
})

test('a number that left for another trunk stays there (N-200, N-515, ND-38)', async () => {
  const org = await fixture.newOrg()
  const number = newLine()
  const account = await org.account(number)
  await org.imported({ number })
  const pbx = account.addTrunk('PBX', 'sip:pbx.example:5060')
  account.numbers[0]!.trunk_sid = pbx.sid
  const answer = await move(org, number, 'production')
  assert.equal(answer.status, 409)
  assert.match(
    answer.body.detail,
    /is on the trunk PBX of the same account, which points at sip:pbx\.example:5060/,
  )
  assert.equal((await org.list()).length, 1)
})

test('a move that loses the carrier or a media server after any write is continued by the next request (T-48, ND-38)', async () => {
  const lost: [name: string, lose: () => void, back: () => void][] = [
    ...[1, 2, 3, 4].map((writes): [string, () => void, () => void] => [
      `the carrier after ${writes}`,
      () => carrier.dieAfter(writes),
      () => carrier.revive(),
    ]),
    ...(['sandbox', 'production'] as const).flatMap((env) =>
      [0, 1, 2].map((writes): [string, () => void, () => void] => [
        `${env} after ${writes}`,
        () => media[env].dieAfter(writes, false),
        () => media[env].revive(),
      ]),
    ),
  ]
  for (const [name, lose, back] of lost) {
    const org = await fixture.newOrg()
    const number = newLine()
    const account = await org.account(number)
    await org.imported({ number })
    lose()
    assert.equal((await move(org, number, 'production')).status, 502, name)
    back()
    const { steps } = done(await move(org, number, 'production'))
    assert.match(steps.at(-1), /: (?:done|stands)$/)
    assert.deepEqual(
      [trunksOf('sandbox', number), trunksOf('production', number)],
      [[], [`${org.id}/production/apicarrier`]],
      name,
    )
    assert.deepEqual([await org.list(), (await org.list('production')).length], [[], 1], name)
    assert.deepEqual([account.trunks.length, org.rule('production')?.trunkIds.length], [2, 1], name)
    const live = account.trunks.find(({ friendly_name }) => friendly_name === 'svc live.example')
    assert.equal(account.numbers[0]!.trunk_sid, live?.sid, name)
  }
})

test('a move whose gateway is killed before or after its row has moved can be repeated (T-48, ND-38)', async () => {
  const settings = {
    SVC_SIP_DOMAIN: 'live.example',
    SVC_SANDBOX_SIP_DOMAIN: 'try.example',
    SVC_MEDIA_URL: media.production.address.url,
    SVC_MEDIA_KEY: media.production.key,
    SVC_MEDIA_SECRET: media.production.secret,
    SVC_SANDBOX_MEDIA_URL: media.sandbox.address.url,
    SVC_SANDBOX_MEDIA_KEY: media.sandbox.key,
    SVC_SANDBOX_MEDIA_SECRET: media.sandbox.secret,
  }
  // The row is locked, so it cannot move; or accounts cannot be read, so no fences are drawn once it has.
  const locks = [
    (number: string) => `select from numbers where number = '${number}' for update`,
    () => 'lock table carrier_accounts in access exclusive mode',
  ]
  for (const lock of locks) {
    const org = await fixture.newOrg()
    const number = newLine()
    await org.imported({ number, hooked: true })
    const { key } = await org.org.person('admin')
    await using _ = await lockReconciliation(deployment)
    await using dying = await GatewayProcess.start(deployment, settings)
    const client = await deployment.gateway.services.database.pool.connect()
    try {
      await client.query(`begin; ${lock(number)}`)
      const asked = fetch(`${dying.url}/v1/numbers/${number}/env`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ env: 'production' }),
      })
      const hasMoved = async () =>
        (await deployment.sql('select env from numbers where number = $1', [number])).rows[0].env ===
        'production'
      const isStuck = async () =>
        trunksOf('sandbox', number).length === 0 && (lock === locks[0] || (await hasMoved()))
      await Promise.all([assert.rejects(asked), until('it is stuck', isStuck).then(() => dying.kill())])
    } finally {
      await client.query('rollback')
      client.release()
    }
    done(await move(org, number, 'production'))
    assert.deepEqual([trunksOf('sandbox', number).length, trunksOf('production', number).length], [0, 1])
    assert.deepEqual([(await org.list()).length, (await org.list('production')).length], [0, 1])
    refused(await move(org, number, 'production'), 404, `this org has no number ${number} in sandbox`)
  }
})

test('on a media server that both environments share a move changes trunk and rule there (N-161, ND-38, T-88)', async () => {
  await using shared = await NumberFixture.start()
  const org = await shared.newOrg()
  const [number, stays] = [newLine(), newLine()]
  const account = await org.account(number, stays)
  await org.imported({ number })
  await org.imported({ number: stays })
  const written = shared.carrier.writes.length
  const { steps } = done(await move(org, number, 'production'))
  assert.deepEqual(steps, [
    `inbound trunk ${org.id}/production/apicarrier: done`,
    `rule ${org.id}/production: done`,
    `route ${number} to desk: done`,
  ])
  assert.equal(shared.carrier.writes.length, written)
  assert.deepEqual(org.trunk('sandbox', 'apicarrier')?.numbers, [stays])
  assert.deepEqual(org.trunk('production', 'apicarrier')?.numbers, [number])
  assert.deepEqual([org.rule('sandbox')?.trunkIds.length, org.rule('production')?.trunkIds.length], [1, 1])
  assert.equal(account.trunks.length, 1)
})

test('a number that the other environment’s media server still lists is taken off it first (N-190, ND-26)', async () => {
  const org = await fixture.newOrg()
  const number = newLine()
  await org.account(number)
  media.production.store.seedTrunk({
    name: `${org.id}/production/apicarrier`,
    numbers: [number],
    allowedAddresses: ['54.172.60.0/30'],
  })
  const off = "off the other environment's media server"
  const dry = await org.imported({ number }, 'sandbox', '?dry_run=true')
  assert.ok(dry.steps.includes(`${off}: to do`))
  assert.deepEqual(trunksOf('production', number).length, 1)
  media.production.refuse('DeleteSIPTrunk', 'internal', 'not now')
  assert.equal((await org.import({ number })).status, 502)
  assert.deepEqual(trunksOf('sandbox', number), [])
  const { steps } = await org.imported({ number })
  assert.ok(steps.indexOf(`${off}: done`) < steps.indexOf(`inbound trunk ${org.id}/sandbox/apicarrier: done`))
  assert.deepEqual([trunksOf('production', number).length, trunksOf('sandbox', number).length], [0, 1])
  assert.ok((await org.imported({ number })).steps.includes(`${off}: stands`))
})
