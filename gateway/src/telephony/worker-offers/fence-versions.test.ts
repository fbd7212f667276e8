import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, test } from 'node:test'
import type { WorkerFence, WorkerFences } from '@switchroom/contract/media-plane'
import { EmbeddedPlane } from '@switchroom/media/embedded'
import { LiveKitFake } from '@switchroom/media/testing/livekit-fake'
import { fleetKey, startDeployment, type Deployment } from '../../../testing/deployment.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { until } from '../../../testing/until.ts'
import { secondMs } from '../../foundation/clock.ts'

// Its gateways look after the numbers of a LiveKit server, and so take away no fence that no number asks for.
const fake = await LiveKitFake.start()
const { url, key, secret } = fake.address
const deployment = await startDeployment({ SVC_MEDIA_URL: url, SVC_MEDIA_KEY: key, SVC_MEDIA_SECRET: secret })
after(async () => {
  await deployment[Symbol.asyncDispose]()
  await fake.stop()
})
const other = await deployment.another()
const gateways = [deployment, other]
const { sql } = deployment

const planeOf = ({ gateway: { services } }: Deployment) =>
  new EmbeddedPlane(services.embeddedFences, services.placementOffers)

const admit = (org: string, numbers: readonly string[], at = deployment) =>
  planeOf(at).admit({
    org,
    env: 'sandbox',
    fleet: 'main',
    fences: numbers.length
      ? [
          {
            name: `${org}/sandbox/sip/peer`,
            networks: ['203.0.113.7'],
            numbers,
            pair: { username: org, password: 'secret' },
          },
        ]
      : [],
  })

const ask = async (known?: string, at = deployment): Promise<WorkerFences> =>
  done(
    await at.anonymous
      .as(fleetKey)
      .get(`/v1/worker/fences?env=sandbox&changes=true${known === undefined ? '' : `&after=${known}`}`),
  )

type ByName = ReadonlyMap<string, WorkerFence>

function changedBy(before: ByName, { fences, changed = [], removed = [] }: WorkerFences): ByName {
  const now = new Map(fences ? [] : before)
  for (const name of removed) now.delete(name)
  for (const fence of fences ?? changed) now.set(fence.name, fence)
  return now
}

const contentOf = (fences: ByName) =>
  JSON.stringify([...fences].toSorted(([one], [two]) => (one < two ? -1 : 1)))
const numbersIn = (fences: readonly WorkerFence[] = []) =>
  fences.map(({ name, numbers }) => [name.split('/', 1)[0], ...numbers])

test('a worker that names its version gets what was added, changed and removed since, from any gateway', async () => {
  await admit('org_a', ['+1555001'])
  await admit('org_b', ['+1555002'])
  const whole = await ask()
  assert.deepEqual(numbersIn(whole.fences), [
    ['org_a', '+1555001'],
    ['org_b', '+1555002'],
  ])
  const answers = gateways.map((gateway) => ask(whole.version, gateway))
  await admit('org_b', ['+1555002', '+1555003'])
  const [one, two] = await Promise.all(answers)
  assert.deepEqual(one, two)
  assert.deepEqual(
    [one?.fences, numbersIn(one?.changed), one?.removed],
    [undefined, [['org_b', '+1555002', '+1555003']], []],
  )
  assert.deepEqual(one?.changed?.[0]?.pair, { username: 'org_b', password: 'secret' })

  await admit('org_c', ['+1555004'], other)
  await admit('org_a', [])
  await admit('org_c', ['+1555005'])
  const later = await ask(whole.version, other)
  assert.deepEqual(numbersIn(later.changed), [
    ['org_b', '+1555002', '+1555003'],
    ['org_c', '+1555005'],
  ])
  assert.deepEqual(later.removed, ['org_a/sandbox/sip/peer'])
})

test('a worker that has the latest version hears after 25 seconds that nothing changed, and no fence is read for it', async () => {
  const { version } = await ask()
  const { database } = deployment.gateway.services
  const texts: string[] = []
  const { rows } = database
  const spied: typeof rows = (statement, ...values) => (
    texts.push(statement.text),
    rows(statement, ...values)
  )
  Object.assign(database, { rows: spied })
  let answered: WorkerFences | undefined
  void ask(version).then((answer) => (answered = answer))
  await until('it is answered', () => {
    deployment.clock.forward(secondMs)
    return answered
  })
  Object.assign(database, { rows })
  assert.deepEqual(answered, { version, changed: [], removed: [] })
  assert.deepEqual(
    texts.filter((text) => /\bfences\b/.test(text)),
    [],
  )
})

test('a version that no gateway knows any more is answered with all fences', async () => {
  await admit('org_a', ['+1555001'])
  const { version } = await ask()
  const [form, count, mark] = version.split('.')
  await admit('org_a', ['+1555006'])
  const whole = await ask()
  const ofAnotherHistory = `${form}.${count}.${'0'.repeat(8)}${mark?.slice(8)}`
  const strangers = [
    ofAnotherHistory, // the database was restored from a backup
    `${form}.${Number(count) + 100}.${mark}`,
    `another1.${count}.${mark}`, // of a gateway that says other things of a fence
    createHash('sha256').update('fences').digest('base64url'), // of an earlier version of the gateway
    `${form}.99999999999999999999.${mark}`,
    `'; drop table fences; --`,
    'x'.repeat(4000),
  ]
  for (const stranger of strangers) assert.deepEqual(await ask(encodeURIComponent(stranger)), whole, stranger)
  assert.notEqual((await ask(version)).changed, undefined)
  await sql(`delete from fence_versions where version <= $1`, [count]) // as after ten thousand more
  assert.deepEqual(await ask(version, other), whole)
})

test('the database keeps the last ten thousand versions, whatever is written in one statement', async () => {
  const add = (from: number, to: number) =>
    sql(
      `insert into fences (name, scope, networks, numbers, fleet)
       select 'org_x/sandbox/own/+1' || n, 'org_x/sandbox', '{203.0.113.9}', array['+1' || n], 'main'
       from generate_series($1::int, $2::int) as n`,
      [from, to],
    )
  const { version: before } = await ask()
  await add(7001, 7500)
  const { version, changed } = await ask(before)
  assert.equal(changed?.length, 500)
  assert.equal(Number(version.split('.')[1]) - Number(before.split('.')[1]), 1)
  await sql(`update fence_versions set version = version + 20000 where env = 'sandbox' and version = $1`, [
    version.split('.')[1],
  ])
  await sql(`delete from fences where scope = 'org_x/sandbox'`)
  const { rows } = await sql(`
    select (select count(*)::int from fence_versions where env = 'sandbox') as versions,
      (select count(distinct version)::int from fence_changes where env = 'sandbox') as changes`)
  assert.deepEqual(rows, [{ versions: 2, changes: 1 }])
  assert.notEqual((await ask(before)).fences, undefined)
})

test('a list is compressed for a worker that accepts it, and is the same', async () => {
  await admit(
    'org_long',
    Array.from({ length: 500 }, (_, n) => `+1555${1000 + n}`),
  )
  const get = (accepted: string) =>
    fetch(`${deployment.url}/v1/worker/fences?env=sandbox&changes=true`, {
      headers: { authorization: `Bearer ${fleetKey}`, 'accept-encoding': accepted },
    })
  const plain = await get('identity')
  const text = await plain.text()
  assert.equal(plain.headers.get('content-encoding'), null)
  for (const [accepted, encoding] of [
    ['gzip', 'gzip'],
    ['br, gzip;q=0.5', 'gzip'],
    ['gzip;q=0', null],
    ['br', null],
  ] as const) {
    const answer = await get(accepted)
    assert.equal(answer.headers.get('content-encoding'), encoding, accepted)
    assert.equal(answer.headers.get('vary'), 'accept-encoding')
    if (encoding) assert.ok(Number(answer.headers.get('content-length')) < text.length / 3)
    assert.equal(await answer.text(), text, accepted)
  }
  await admit('org_long', [])
})

test('a worker of an earlier version gets all fences under the digest that earlier gateways give them', async () => {
  await admit('org_a', ['+1555101', '+1555102'])
  const old = async (known?: string, at = deployment) =>
    done(
      await at.anonymous
        .as(fleetKey)
        .get(`/v1/worker/fences?env=sandbox${known === undefined ? '' : `&after=${known}`}`),
    )
  const first = await old()
  assert.equal(first.version, createHash('sha256').update(JSON.stringify(first.fences)).digest('base64url'))
  assert.deepEqual(await old(undefined, other), first)
  const waiting = old(first.version, other)
  await admit('org_a', ['+1555103'])
  const second = await waiting
  assert.notEqual(second.version, first.version)
  assert.deepEqual(await old('anything else'), second)
  assert.deepEqual(second.fences, (await ask()).fences)
  await admit('org_a', ['+1555101', '+1555102'])
  assert.equal((await old(second.version)).version, first.version) // the same fences are the same version
})

test('a change without a notice, as of a gateway whose notice was lost, is in the answer to the next request', async () => {
  const { version } = await ask()
  await sql(
    `insert into fences (name, scope, networks, numbers, fleet)
     values ('org_q/sandbox/own/+19', 'org_q/sandbox', '{203.0.113.9}', '{+19}', 'main')`,
  )
  assert.deepEqual(numbersIn((await ask(version)).changed), [['org_q', '+19']])
})

test('who changes fences waits for the commit of who changed one before, so that no version is passed over', async () => {
  const { version } = await ask()
  const client = await deployment.gateway.services.database.pool.connect()
  await client.query(`begin; delete from fences where scope = 'org_q/sandbox'`)
  let isAdmitted = false
  const admitting = admit('org_r', ['+1555777'], other).then(() => (isAdmitted = true))
  await until('another change waits', async () => {
    const { rows } = await sql(`select from pg_locks where locktype = 'advisory' and not granted`)
    return rows.length > 0
  })
  assert.equal(isAdmitted, false)
  const waiting = ask(version)
  await client.query('commit')
  client.release()
  await admitting
  const first = await waiting
  const rest = first.removed?.length && first.changed?.length ? first : await ask(version)
  assert.deepEqual(
    [rest.removed, numbersIn(rest.changed)],
    [['org_q/sandbox/own/+19'], [['org_r', '+1555777']]],
  )
})

test('whatever changes at once on two gateways, every version is the same fences for everybody, and the last is all of them', async () => {
  const seen = new Map<string, string>()
  const compare = (version: string, fences: ByName) => {
    const content = contentOf(fences)
    assert.equal(seen.get(version) ?? content, content, version)
    seen.set(version, content)
  }
  const over = new AbortController()
  /** Follows by changes, now at one gateway and now at the other. */
  const follow = async (first: number) => {
    let fences: ByName = new Map()
    let known: string | undefined
    for (let turn = first; !over.signal.aborted; turn += 1) {
      const answer = await ask(known, gateways[turn % 2])
      assert.equal(answer.fences !== undefined, known === undefined)
      fences = changedBy(fences, answer)
      known = answer.version
      compare(known, fences)
    }
    return { known, fences }
  }
  const readWhole = async () => {
    while (!over.signal.aborted) {
      const { version, fences = [] } = await ask(undefined, other)
      compare(version, changedBy(new Map(), { version, fences }))
    }
  }
  const random = pseudoRandom(4711)
  const change = async (writer: number) => {
    for (let round = 0; round < 40; round += 1) {
      const org = `org_${writer}_${random(6)}`
      const numbers = Array.from(
        { length: random(4) },
        (_, n) => `+1${writer}${org.slice(-1)}${n}${random(50)}`,
      )
      const kind = random(10)
      if (kind < 2) await sql(`delete from fences where scope = $1`, [`${org}/sandbox`])
      else if (kind < 4)
        await sql(`update fences set fleet = fleet || 'x' where scope = $1`, [`${org}/sandbox`])
      else await admit(org, numbers, gateways[writer % 2])
    }
  }
  const followers = [follow(0), follow(1), follow(0)]
  const reading = readWhole()
  await Promise.all([1, 2, 3, 4].map(change))
  over.abort()
  await admit('org_last', ['+1555888']) // answers those that wait
  await reading
  const { version, fences = [] } = await ask()
  for (const follower of followers) {
    const { known, fences: followed } = await follower
    const caughtUp = known === version ? followed : changedBy(followed, await ask(known))
    assert.equal(contentOf(caughtUp), contentOf(changedBy(new Map(), { version, fences })))
  }
  assert.ok(seen.size > 20)
})

function pseudoRandom(seed: number) {
  let state = seed
  return (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * below)
  }
}
