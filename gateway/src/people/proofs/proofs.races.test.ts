import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused, type Answer, type Client } from '../../../testing/client.ts'
import {
  squattersPassword,
  startSquattingDeployment,
  victimsPassword,
} from '../../../testing/people/squatted-address.ts'
import { until } from '../../../testing/until.ts'

const deployment = await startSquattingDeployment()
after(() => deployment[Symbol.asyncDispose]())
const second = await deployment.another()
const { anonymous, sql, squat, elsewhere, mailedInvitation } = deployment

const dead = 'this key opens nothing'
const statusOf = async (member: string) =>
  (await sql('select status from members where id = $1', [member])).rows[0]?.status
const accept = (token: string, client = anonymous) =>
  client.post(`/v1/invitations/${token}`, { password: victimsPassword })

/** Holds a member's row until everything named waits for it, each behind the one before. */
async function queueBehind(member: string, ...works: (() => Promise<Answer>)[]): Promise<Answer[]> {
  const client = await deployment.gateway.services.database.pool.connect()
  const waiting = async () =>
    Number(
      (
        await sql(`select count(*) as n from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`)
      ).rows[0].n,
    )
  try {
    await client.query('begin')
    await client.query('select from members where id = $1 for update', [member])
    const begun: Promise<Answer>[] = []
    for (const work of works) {
      begun.push(work())
      await until('it waits for the row', async () => (await waiting()) === begun.length)
    }
    await client.query('commit')
    return await Promise.all(begun)
  } finally {
    client.release()
  }
}

test('a sign-in with the old password that waits for the proof on another gateway gets no key and takes no seat (ID-73)', async () => {
  const squatted = await squat()
  const { token } = await mailedInvitation(squatted.email, await deployment.newOrg())
  const credentials = { email: squatted.email, password: squattersPassword, org: squatted.org.slug }
  const [proven, signedIn] = await queueBehind(
    squatted.member,
    () => accept(token),
    () => elsewhere(second.anonymous).post('/v1/login', credentials),
  )
  assert.equal(proven?.status, 200)
  refused(signedIn as Answer, 401, 'nobody answers to that email and password')
  assert.equal(await statusOf(squatted.member), 'invited')
})

test('a switch or an approval with the old key that waits for the proof on another gateway is refused and takes no seat (ID-73)', async () => {
  for (const way of ['switch', 'approval'] as const) {
    const squatted = await squat()
    const third = await deployment.newOrg()
    const waiting = await third.invite(squatted.email, 'qa')
    const { token } = await mailedInvitation(squatted.email, await deployment.newOrg())
    const attacker = second.anonymous.as(squatted.key)
    const { code } = (await anonymous.post('/v1/login/pairings', {})).body
    const [proven, copied] = await queueBehind(
      waiting.id,
      () => accept(token),
      () =>
        way === 'switch'
          ? attacker.post('/v1/login/org', { org: third.slug })
          : attacker.post(`/v1/login/pairings/${code}`, { org: third.slug }),
    )
    assert.equal(proven?.status, 200)
    refused(copied as Answer, 401, dead)
    assert.equal(await statusOf(waiting.id), 'invited')
    assert.equal(await statusOf(squatted.member), 'invited')
  }
})

test('whatever a squatter copies or signs in with on two gateways while the proof runs, no key of theirs is alive after it (ID-73, ID-87)', async () => {
  for (let round = 0; round < 4; round += 1) {
    const squatted = await squat()
    const org = await deployment.newOrg()
    const { member, token } = await mailedInvitation(squatted.email, org)
    const held: string[] = [squatted.key]
    const keep = ({ status, body }: Answer) => {
      if (status === 200) held.push(body.key)
      else assert.ok([401, 403, 404].includes(status), `answered ${status}`)
    }
    const attack = async (at: { anonymous: Client }) => {
      const attacker = at.anonymous.as(squatted.key)
      const { code: word } = (await at.anonymous.post('/v1/login/pairings', {})).body
      const minted = await attacker.post('/v1/login/codes')
      await attacker.post(`/v1/login/pairings/${word}`, {})
      await Promise.all([
        attacker.post('/v1/login/org', { org: squatted.org.slug }).then(keep),
        attacker.post('/v1/login/org', { org: org.slug }).then(keep),
        minted.status === 200 && at.anonymous.post('/v1/login', { code: minted.body.code }).then(keep),
        at.anonymous
          .get(`/v1/login/pairings/${word}/key`)
          .then((answer) => answer.status !== 202 && keep(answer)),
        elsewhere(at.anonymous)
          .post('/v1/login', {
            email: squatted.email,
            password: squattersPassword,
            org: squatted.org.slug,
          })
          .then(keep),
      ])
    }
    const race = { isOver: false }
    const attacks = [deployment, second].map(async (at) => {
      while (!race.isOver) await attack(at)
    })
    const proven = await accept(token, round % 2 ? anonymous : second.anonymous).finally(
      () => (race.isOver = true),
    )
    await Promise.all(attacks)
    assert.equal(proven.status, 200, proven.text)

    for (const key of held) refused(await anonymous.as(key).get('/v1/whoami'), 401, dead)
    assert.deepEqual([await statusOf(squatted.member), await statusOf(member)], ['invited', 'active'])
    const { rows } = await sql(
      `select k.id from keys k join members m on m.id = k.member where m.email = $1 and k.revoked_at is null`,
      [squatted.email],
    )
    assert.deepEqual(rows, [{ id: proven.body.key_id }])
  }
})

test('an address that is proven in two orgs at the same moment on two gateways is proven once, and both seats are answered (ID-74)', async () => {
  for (let round = 0; round < 4; round += 1) {
    const squatted = await squat()
    const [one, two] = [
      await mailedInvitation(squatted.email, await deployment.newOrg()),
      await mailedInvitation(squatted.email, await deployment.newOrg()),
    ]
    const answers = await Promise.all([accept(one.token), accept(two.token, second.anonymous)])
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    )
    for (const { member } of [one, two]) assert.equal(await statusOf(member), 'active')
    assert.equal(await statusOf(squatted.member), 'invited')
    const alive = await Promise.all(answers.map(({ body }) => anonymous.as(body.key).get('/v1/whoami')))
    assert.equal(alive.filter(({ status }) => status === 200).length, 1) // the later password ends the earlier key
  }
})

test('a proof, a change of the same member by its org and a reset of it at the same moment never fail (ID-73)', async () => {
  for (let round = 0; round < 6; round += 1) {
    const squatted = await squat('qa')
    const admin = await squatted.org.person('admin')
    const { token } = await mailedInvitation(squatted.email, await deployment.newOrg())
    const path = `/v1/members/${squatted.member}`
    const proof = accept(token)
    const others: Promise<Answer>[] = []
    for (let n = 0; n < 5; n += 1)
      others.push(
        admin.client.patch(path, { role: n % 2 ? 'qa' : 'supervisor' }),
        second.anonymous.as(admin.key).patch(path, { status: n % 2 ? 'active' : 'disabled' }),
        admin.client.post(`${path}/reset`),
      )
    for (const { status, text } of await Promise.all([proof, ...others])) assert.ok(status < 500, text)
    refused(await squatted.client.get('/v1/whoami'), 401, dead)
  }
})
