import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { AppClient } from '../../../testing/agents/app-client.ts'
import { DialOrg, goTo, newCalled } from '../../../testing/telephony/dial-fixture.ts'
import { startDeployment } from '../../../testing/deployment.ts'
import { SpokenAgent } from '../../../testing/calls/spoken-calls.ts'
import { grownSince, metricValues } from '../../../testing/http/metric-values.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { statement } from '../../database/database.ts'
import { Refusal, tooMany } from '../../foundation/refusals.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { clock, sql } = deployment
const newYork = '+12125550123'

test('a dial that passes is a row, and so is each that is refused (N-047, N-048, N-261, ND-48)', async () => {
  const dialOrg = await DialOrg.open(deployment)
  const to = await dialOrg.knownNumber()
  const taken = await dialOrg.dial(to)
  assert.ok(!(taken instanceof Refusal))
  assert.equal(await dialOrg.outcome('+8811234567'), '400 bad_number')
  assert.equal(await dialOrg.outcome(to, { from: '+34910000009' }), '409 no_from')
  assert.equal(await dialOrg.outcome(newCalled()), '403 stranger')
  const rows = await dialOrg.ledger()
  const common = { env: 'production', agent: 'desk', kind: 'dial', by: 'ci', result: null }
  const refusal = { ...common, outcome: 'refused', call: null }
  assert.deepEqual(
    rows.map(({ id, at, ...row }) => {
      assert.match(id, /^dial_[0-9a-f]{24}$/)
      assert.ok(Math.abs(at - clock.now().getTime() / 1000) < 30)
      return row
    }),
    [
      { ...refusal, to: rows[0]?.to, from: dialOrg.from, status: 403, reason: 'stranger' },
      { ...refusal, to, from: '+34910000009', status: 409, reason: 'no_from' },
      { ...refusal, to: '+8811234567', from: dialOrg.from, status: 400, reason: 'bad_number' },
      { ...common, to, from: dialOrg.from, call: taken.call, outcome: 'taken', status: 202, reason: null },
    ],
  )
})

test('what is kept with a dial is kept with its row, or neither is (ND-47, N-296)', async () => {
  const dialOrg = await DialOrg.open(deployment)
  const to = await dialOrg.knownNumber()
  const { dialDecisions } = deployment.gateway.services
  const asked = { kind: 'dial', caller: dialOrg.caller(), agent: 'desk', to } as const
  const keep = statement(
    `insert into known_contacts (org, env, contact, first_at) values ($1, $2, $3, now())`,
  )
  const kept = async () =>
    (await sql('select contact from known_contacts where org = $1 and contact <> $2', [dialOrg.org.id, to]))
      .rows
  const broken = dialDecisions.take(asked, async (tx, { org, env, call }) => {
    await tx.rows(keep, org, env, call)
    throw new Error('the head could not be written')
  })
  await assert.rejects(broken, /the head could not be written/)
  assert.deepEqual([await dialOrg.ledger(), await kept()], [[], []])
  const taken = await dialDecisions.take(asked, async (tx, { org, env, call, from }) => {
    assert.deepEqual([from.number, from.account, from.kind], [dialOrg.from, 'peer', 'sip'])
    await tx.rows(keep, org, env, call)
  })
  assert.deepEqual(await kept(), [{ contact: taken.call }])
  assert.deepEqual(
    (await dialOrg.ledger()).map(({ id, call }) => [id, call]),
    [[taken.id, taken.call]],
  )
})

test('a call that is refused as it opens leaves a refused row and nothing else (N-048)', async () => {
  const dialOrg = await DialOrg.open(deployment)
  const to = await dialOrg.knownNumber()
  const asked = { kind: 'dial', caller: dialOrg.caller(), agent: 'desk', to } as const
  const full = deployment.gateway.services.dialDecisions.take(asked, async () => {
    throw tooMany('org runs 1 of its 1 calls at once')
  })
  await assert.rejects(full, { status: 429, message: 'org runs 1 of its 1 calls at once' })
  const rows = await dialOrg.ledger()
  assert.deepEqual(
    rows.map(({ outcome, status, reason, call }) => [outcome, status, reason, call]),
    [['refused', 429, 'not_opened', null]],
  )
})

test('whatever was sent as a number is a row, cut to a line (N-048)', async () => {
  const dialOrg = await DialOrg.open(deployment)
  for (const [sent, kept] of [
    ['', ''],
    ['+1 212 555 0123', '+1 212 555 0123'],
    ['\0\n', ''],
    ['9'.repeat(5000), '9'.repeat(100)],
  ] as const) {
    assert.equal(await dialOrg.outcome(sent, { from: sent }), '400 bad_number')
    const [row] = await dialOrg.ledger()
    assert.deepEqual([row?.to, row?.from], [kept, kept])
  }
})

test('a person’s dial is theirs in the ledger (ND-48)', async () => {
  const dialOrg = await DialOrg.open(deployment)
  const to = await dialOrg.knownNumber()
  assert.equal(
    await dialOrg.outcome(to, { caller: dialOrg.caller({ kind: 'person', subject: 'mem_1' }) }),
    'taken',
  )
  assert.equal((await dialOrg.ledger())[0]?.by, 'mem_1')
})

test('a leg and a transfer share the ledger with dials, and are judged by shape and pace (ND-63, ND-64, T-22)', async () => {
  const dialOrg = await DialOrg.open(deployment)
  const stranger = newCalled()
  await dialOrg.client.delete(`/v1/org/consents/${stranger}`)
  for (let n = 0; n < 3; n += 1) {
    assert.equal(await dialOrg.outcome(stranger, { kind: 'leg', call: 'call_1' }), 'taken')
    assert.equal(await dialOrg.outcome(stranger, { kind: 'transfer', call: 'call_1' }), 'taken')
  }
  assert.deepEqual(
    (await dialOrg.ledger()).slice(0, 2).map(({ kind, call, from, status }) => [kind, call, from, status]),
    [
      ['transfer', 'call_1', null, 200],
      ['leg', 'call_1', dialOrg.from, 200],
    ],
  )
  assert.equal(await dialOrg.outcome(stranger, { kind: 'leg', call: 'call_1' }), '429 per_minute')
  assert.equal((await dialOrg.ledger())[0]?.call, 'call_1')
  assert.equal(await dialOrg.outcome(await dialOrg.knownNumber()), '429 per_minute')
})

test('every opt-out counts, a consent with the dial never lifts it and one on record does (N-270, N-272, N-273, N-274, N-275, N-513)', async () => {
  const dialOrg = await DialOrg.open(deployment)
  const to = await dialOrg.knownNumber()
  done(await dialOrg.client.delete(`/v1/org/consents/${to}`))
  assert.equal(await dialOrg.outcome(to), '403 opted_out')
  assert.equal(await dialOrg.outcome(to, { isConsentSent: true }), '403 opted_out')
  await dialOrg.consented(to)
  assert.equal(await dialOrg.outcome(to), 'taken')
  done(await dialOrg.client.post('/v1/org/dnc', { numbers: [to], source: 'registry' }))
  assert.equal(await dialOrg.outcome(to), '403 opted_out')
})

test('a +1 number needs a consent, on file or with the dial, and its hours (N-276, N-278, N-279, N-513)', async () => {
  const dialOrg = await DialOrg.open(deployment)
  goTo(clock, 17)
  await dialOrg.known(newYork)
  assert.equal(await dialOrg.outcome(newYork), '403 no_consent')
  assert.equal(await dialOrg.outcome(newYork, { isConsentSent: true }), 'taken')
  await dialOrg.consented(newYork)
  goTo(clock, 7)
  assert.equal(await dialOrg.outcome(newYork), '403 quiet_hours')
  goTo(clock, 17)
  assert.equal(await dialOrg.outcome(newYork), 'taken')
})

test('the sandbox is held to none of list, consent, hours and the number’s count, and to all else (N-262, T-15)', async () => {
  const dialOrg = await DialOrg.open(deployment, 'sandbox')
  goTo(clock, 7)
  assert.equal(await dialOrg.outcome(newYork), '403 stranger')
  await dialOrg.known(newYork)
  done(await dialOrg.client.delete(`/v1/org/consents/${newYork}`))
  for (let n = 0; n < 5; n += 1) assert.equal(await dialOrg.outcome(newYork), 'taken')
  assert.equal(await dialOrg.outcome(newYork), '429 per_minute')
  assert.equal(await dialOrg.outcome('+8701234567'), '400 bad_number')
})

test('only the asker’s own verified phone is free of them, and only for the asker (N-263, T-16, ND-54)', async () => {
  const dialOrg = await DialOrg.open(deployment)
  goTo(clock, 7)
  const ana = dialOrg.caller({ kind: 'person', subject: 'mem_ana' })
  const ben = dialOrg.caller({ kind: 'person', subject: 'mem_ben' })
  await sql(`insert into own_phones (org, member, number, verified_at) values ($1, 'mem_ana', $2, now())`, [
    dialOrg.org.id,
    newYork,
  ])
  assert.equal(await dialOrg.outcome(newYork, { caller: ana }), '403 stranger')
  await dialOrg.known(newYork)
  assert.equal(await dialOrg.outcome(newYork, { caller: ana }), 'taken')
  assert.equal(await dialOrg.outcome(newYork, { caller: ben }), '403 no_consent')
  assert.equal(await dialOrg.outcome(newYork), '403 no_consent')
  assert.equal(
    await dialOrg.outcome(newYork, { caller: dialOrg.caller({ subject: 'mem_ana' }) }),
    '403 no_consent',
  )
  const other = await DialOrg.open(deployment)
  await other.known(newYork)
  const anaThere = other.caller({ kind: 'person', subject: 'mem_ana' })
  assert.equal(await other.outcome(newYork, { caller: anaThere }), '403 no_consent')
})

test('a person who called in one environment is a stranger in the other (T-17, ND-53, N-268, N-513)', async () => {
  const dialOrg = await DialOrg.open(deployment)
  const to = newCalled()
  await dialOrg.known(to, 'sandbox')
  assert.equal(await dialOrg.outcome(to), '403 stranger')
  await dialOrg.known(to)
  assert.equal(await dialOrg.outcome(to), 'taken')
})

test('the operator’s dial_anywhere lets strangers be dialled, in both environments (N-269, ND-43)', async () => {
  for (const env of ['production', 'sandbox'] as const) {
    const dialOrg = await DialOrg.open(deployment, env)
    const to = newCalled()
    assert.equal(await dialOrg.outcome(to), '403 stranger')
    const limits = { dial_anywhere: true }
    done(await deployment.operator.put(`/v1/ops/orgs/${dialOrg.org.slug}/dialling`, limits))
    assert.equal(await dialOrg.outcome(to), 'taken')
  }
})

test('an agent that no app holds cannot dial (N-251, N-515)', async () => {
  const dialOrg = await DialOrg.open(deployment)
  const to = await dialOrg.knownNumber()
  await sql(`update numbers set agent = 'sales' where number = $1`, [dialOrg.from])
  const answer = await dialOrg.dial(to, { agent: 'sales' })
  assert.ok(answer instanceof Refusal)
  assert.deepEqual(
    [answer.status, answer.message],
    [409, 'no app holds sales in production: connect one, and dial again'],
  )
})

test('in the sandbox a person’s own copy takes the call, else the org’s (N-251, N-515)', async () => {
  const dialOrg = await DialOrg.open(deployment, 'sandbox')
  const to = await dialOrg.knownNumber()
  await sql(`update numbers set agent = 'mine' where number = $1`, [dialOrg.from])
  const ana = await dialOrg.org.person('developer')
  const app = await AppClient.connect(deployment.url, ana.key)
  await app.register('mine')
  const mine = { agent: 'mine', caller: dialOrg.caller({ kind: 'person', subject: ana.id }) }
  const taken = await dialOrg.dial(to, mine)
  assert.ok(!(taken instanceof Refusal))
  assert.equal(taken.holder, ana.id)
  assert.equal(await dialOrg.outcome(to, { agent: 'mine' }), '409 not_held')
  await app.close()
})

test('an agent whose name is none is not found, and leaves no row (ND-47)', async () => {
  const dialOrg = await DialOrg.open(deployment)
  const answer = await dialOrg.dial(await dialOrg.knownNumber(), { agent: 'No Slug' })
  assert.ok(answer instanceof Refusal && answer.status === 404)
  assert.deepEqual(await dialOrg.ledger(), [])
})

test('rows of the ledger are never changed (ND-48)', async () => {
  const dialOrg = await DialOrg.open(deployment)
  await dialOrg.rows(1, 0)
  await assert.rejects(
    sql(`update dials set outcome = 'taken' where org = $1`, [dialOrg.org.id]),
    /never changed/,
  )
  await assert.rejects(sql(`delete from dials where org = $1`, [dialOrg.org.id]), /never changed/)
})

test('a caller who asked the agent not to be called again is on the list, and calling in lifts nothing (N-271, ND-68)', async () => {
  const dialOrg = await DialOrg.open(deployment)
  const spoken = new SpokenAgent(deployment, dialOrg.org, 'desk', dialOrg.from)
  const to = newCalled()
  assert.equal(await dialOrg.outcome(to), '403 stranger')
  const call = await spoken.open({ from: to })
  assert.equal(await dialOrg.outcome(to), 'taken')
  done(await spoken.append(call, [{ type: 'call.opt_out', data: {} }]))
  assert.equal(await dialOrg.outcome(to), '403 opted_out')
  await spoken.open({ from: to })
  assert.equal(await dialOrg.outcome(to), '403 opted_out')
})

test('each decision is counted once it is in the ledger, by its reason if it is a refusal', async () => {
  const counts = async () =>
    metricValues((await deployment.metrics.get('/metrics')).text, 'switchroom_dials_total')
  const dialOrg = await DialOrg.open(deployment)
  const to = await dialOrg.knownNumber()
  const before = await counts()
  await dialOrg.dial(to)
  await dialOrg.outcome('+8811234567')
  await dialOrg.outcome(newCalled())
  const { dialDecisions } = deployment.gateway.services
  const asked = { kind: 'dial', caller: dialOrg.caller(), agent: 'desk', to } as const
  const refusing = async () => {
    throw tooMany('too many calls at once')
  }
  await assert.rejects(dialDecisions.take(asked, refusing), Refusal)
  assert.deepEqual(grownSince(before, await counts()), {
    'env=production,outcome=taken': 1,
    'env=production,outcome=bad_number': 1,
    'env=production,outcome=stranger': 1,
    'env=production,outcome=not_opened': 1,
  })
})
