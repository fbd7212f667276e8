import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { answeredSdp, answerOffer, Browser, offeredSdp, takeOffer } from '../../../testing/http/browser.ts'
import { refused } from '../../../testing/client.ts'
import { fleetKey, startDeployment } from '../../../testing/deployment.ts'
import { entriesOf, SpokenAgent } from '../../../testing/calls/spoken-calls.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { until } from '../../../testing/until.ts'
import type { Caller } from '../../foundation/caller.ts'
import { secondMs } from '../../foundation/clock.ts'
import { OfferClaims } from './offer-claims.ts'
import { WorkerNotifier } from './worker-notifier.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const other = await deployment.another()
const { sql, clock, anonymous } = deployment
const org = await deployment.newOrg()
await new SpokenAgent(deployment, org, 'desk').holdingApp()
const { client } = await org.serverToken('sandbox', { scopes: ['talk'] })
const fleet = anonymous.as(fleetKey)
const fleetElsewhere = other.anonymous.as(fleetKey)

const browser = async (more: object = {}) =>
  new Browser(anonymous, done(await client.post('/v1/tokens', { agent: 'desk', ...more })))
const isOffered = (call: string) =>
  until('it is offered', async () => {
    const { rows } = await sql('select offered_at from browser_calls where call = $1', [call])
    return rows[0].offered_at !== null
  })
const opensNothing = 'this token opens no call: it is unknown, used or over'
const noWorker = 'no worker is free: try again in a moment'

test('a worker that waits on another gateway answers what a browser offers', async () => {
  const page = await browser()
  const taking = takeOffer(fleetElsewhere, 'w1')
  const offered = page.offer()
  assert.deepEqual(await taking, {
    call: page.call,
    org: org.id,
    env: 'sandbox',
    agent: 'desk',
    sdp: offeredSdp,
  })
  assert.equal((await answerOffer(fleetElsewhere, page.call, 'w1')).status, 204)
  const answer = await offered
  assert.deepEqual([answer.status, answer.body], [201, { call: page.call, sdp: answeredSdp }])
  const { rows } = await sql('select offer from browser_calls where call = $1', [page.call])
  assert.deepEqual(rows, [{ offer: null }])
})

test('of browsers that come with one token at the same time one is let in', async () => {
  const page = await browser()
  const offers = Array.from({ length: 8 }, (_, i) =>
    page.offer(offeredSdp, i % 2 ? anonymous : other.anonymous),
  )
  let refusals = 0
  for (const offer of offers) void offer.then(({ status }) => (refusals += Number(status === 401)))
  assert.equal((await takeOffer(fleet, 'w1')).call, page.call)
  await until('the others are refused', () => refusals === 7)
  assert.equal((await answerOffer(fleet, page.call, 'w1')).status, 204)
  const statuses = (await Promise.all(offers)).map(({ status }) => status)
  assert.deepEqual(
    statuses.toSorted((a, b) => a - b),
    [201, 401, 401, 401, 401, 401, 401, 401],
  )
})

/** A browser that a worker has answered. */
async function running(worker = 'w1') {
  const page = await browser()
  const offered = page.offer()
  assert.equal((await takeOffer(fleet, worker)).call, page.call)
  done(await fleet.post('/v1/worker/calls', { call: page.call, worker }))
  assert.equal((await answerOffer(fleet, page.call, worker)).status, 204)
  assert.equal((await offered).status, 201)
  const waiting = (asker = worker) => fleet.get(`/v1/worker/offers/${page.call}?worker=${asker}`)
  const isWaiting = (reconnect: number) =>
    until('it is offered again', async () => (await waiting()).body.reconnect === reconnect)
  return { page, waiting, isWaiting }
}

const [newOffer, newAnswer] = [`${offeredSdp}a=new\r\n`, `${answeredSdp}a=new\r\n`]
const requests = async (call: string) =>
  (await entriesOf(deployment, call)).filter(({ type }) => type === 'reconnect.requested')

test('the browser of a running call offers again with its token, and the worker that runs the call learns it from the log and answers', async () => {
  const { page, waiting, isWaiting } = await running()
  clock.forward(3_700 * secondMs)
  await deployment.gateway.services.browserCalls.deleteExpired()
  refused(await waiting(), 404, `the browser of the call ${page.call} does not reconnect`)
  const again = page.offer(newOffer, other.anonymous)
  await isWaiting(1)
  assert.deepEqual((await waiting()).body, { sdp: newOffer, reconnect: 1 })
  refused(await waiting('w2'), 404, `the browser of the call ${page.call} does not reconnect`)
  assert.equal(await takeOffer(fleet, 'w2', 0), null)
  assert.equal((await requests(page.call)).length, 1)
  const told = { sdp: newAnswer, reconnect: 1 }
  assert.equal((await answerOffer(fleet, page.call, 'w1', told)).status, 204)
  assert.deepEqual((await again).body, { call: page.call, sdp: newAnswer })
})

test('of two offers of a running call the newer is answered, and one that nobody answers does not end the call', async () => {
  const { page, isWaiting } = await running()
  const first = page.offer(newOffer)
  await isWaiting(1)
  const second = page.offer(newOffer)
  await isWaiting(2)
  const notYours = `the call ${page.call} is not yours to answer: the browser does not wait for you`
  refused(await answerOffer(fleet, page.call, 'w1', { sdp: 'v=0 old', reconnect: 1 }), 409, notYours)
  assert.equal((await answerOffer(fleet, page.call, 'w1', { sdp: newAnswer, reconnect: 2 })).status, 204)
  for (const offer of [first, second]) assert.equal((await offer).body.sdp, newAnswer)
  const third = page.offer(newOffer)
  await isWaiting(3)
  clock.forward(10 * secondMs)
  refused(await third, 503, noWorker)
  const fourth = page.offer(newOffer)
  await isWaiting(4)
  const why = { refused: 'only the browser that is in the call can reconnect to it', reconnect: 4 }
  assert.equal((await answerOffer(fleet, page.call, 'w1', why)).status, 204)
  refused(await fourth, 503, why.refused)
  const { rows } = await sql('select ended_at from calls where id = $1', [page.call])
  assert.deepEqual(rows, [{ ended_at: null }])
})

test('a call that is over is not reconnected, and none more than two hundred times', async () => {
  const { page } = await running()
  await sql('update browser_calls set reconnects = 200 where call = $1', [page.call])
  refused(await page.offer(newOffer), 429, 'this call has reconnected 200 times: open another')
  assert.equal((await client.post(`/v1/calls/${page.call}/verbs`, { verb: 'end' })).status, 202)
  await until('it is over', async () => {
    const { rows } = await sql('select ended_at from calls where id = $1', [page.call])
    return rows[0].ended_at !== null
  })
  refused(await page.offer(newOffer), 401, opensNothing)
  assert.deepEqual(await requests(page.call), [])
})

test('of workers that ask at the same time on two gateways one gets the offer', async () => {
  for (let round = 0; round < 5; round += 1) {
    const page = await browser()
    const offered = page.offer()
    await isOffered(page.call)
    const asked = Array.from({ length: 12 }, (_, i) => takeOffer(i % 2 ? fleet : fleetElsewhere, `w${i}`, 0))
    const got = (await Promise.all(asked)).filter((offer) => offer !== null)
    assert.deepEqual(
      got.map(({ call }) => call),
      [page.call],
    )
    const { rows } = await sql('select worker from browser_calls where call = $1', [page.call])
    assert.equal((await answerOffer(fleet, page.call, rows[0].worker)).status, 204)
    assert.equal((await offered).status, 201)
  }
})

test('a browser that no worker answers within ten seconds is refused, and may try again with its token', async () => {
  const page = await browser({ ttl_s: 600 })
  const offered = page.offer()
  await isOffered(page.call)
  clock.forward(10 * secondMs)
  refused(await offered, 503, noWorker)
  assert.equal(await takeOffer(fleet, 'w1', 0), null)
  const late = page.offer()
  assert.equal((await takeOffer(fleet, 'w2')).call, page.call)
  clock.forward(10 * secondMs)
  refused(await late, 503, noWorker)
  const notYours = `the call ${page.call} is not yours to answer: the browser does not wait for you`
  refused(await answerOffer(fleet, page.call, 'w2'), 409, notYours)
  const again = page.offer()
  assert.equal((await takeOffer(fleet, 'w3')).call, page.call)
  assert.equal((await answerOffer(fleet, page.call, 'w3')).status, 204)
  assert.equal((await again).status, 201)
})

test('a worker that refuses does so with a sentence for the person', async () => {
  const page = await browser()
  const offered = page.offer()
  await takeOffer(fleet, 'w1')
  const told = { refused: 'this browser speaks no sound that we do' }
  assert.equal((await answerOffer(fleet, page.call, 'w1', told)).status, 204)
  refused(await offered, 503, 'this browser speaks no sound that we do')
})

test('an offer is answered once, by the worker that took it, with one of the two', async () => {
  const page = await browser()
  const offered = page.offer()
  await takeOffer(fleet, 'w1')
  for (const both of [{}, { sdp: answeredSdp, refused: 'no' }])
    refused(
      await answerOffer(fleet, page.call, 'w1', both),
      400,
      'answer with an sdp or with why it is refused, one of them',
    )
  const notYours = `the call ${page.call} is not yours to answer: the browser does not wait for you`
  refused(await answerOffer(fleet, page.call, 'w2'), 409, notYours)
  const stranger = await (await deployment.newOrg()).serverToken('sandbox')
  refused(await answerOffer(stranger.client, page.call, 'w1'), 404, `no browser opened the call ${page.call}`)
  assert.equal((await answerOffer(fleet, page.call, 'w1')).status, 204)
  assert.equal((await offered).status, 201)
  assert.equal((await answerOffer(fleet, page.call, 'w1')).status, 204)
  refused(await answerOffer(fleet, page.call, 'w1', { sdp: 'v=0 another' }), 409, notYours)
  refused(await answerOffer(fleet, 'call_none', 'w1'), 404, 'there is no call call_none')
})

test("a worker of an org's own answers that org's browsers in its environment alone", async () => {
  const [own, production] = await Promise.all([org.serverToken('sandbox'), org.serverToken('production')])
  const stranger = await (await deployment.newOrg()).serverToken('sandbox')
  const page = await browser()
  const offered = page.offer()
  await isOffered(page.call)
  assert.equal(await takeOffer(stranger.client, 'theirs', 0), null)
  assert.equal(await takeOffer(production.client, 'ours', 0), null)
  assert.equal(await takeOffer(fleet.in('production'), 'platform', 0), null)
  assert.equal((await takeOffer(own.client, 'ours')).call, page.call)
  assert.equal((await answerOffer(own.client, page.call, 'ours')).status, 204)
  assert.equal((await offered).status, 201)
})

test('a browser that leaves while it waits takes its offer with it', async () => {
  const page = await browser()
  const gone = new AbortController()
  const waits = anonymous.as(page.token).raw('/v1/rtc', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ sdp: offeredSdp }),
    signal: gone.signal,
  })
  await isOffered(page.call)
  gone.abort()
  await assert.rejects(waits, { name: 'AbortError' })
  await until('it is withdrawn', async () => {
    const { rows } = await sql('select offered_at from browser_calls where call = $1', [page.call])
    return rows[0].offered_at === null
  })
  assert.equal(await takeOffer(fleet, 'w1', 0), null)
})

test('a worker that hung up while it waited takes no browser with it', async () => {
  const gone = new AbortController()
  const waits = fleet.raw('/v1/worker/placements', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ worker: 'gone' }),
    signal: gone.signal,
  })
  gone.abort()
  await assert.rejects(waits, { name: 'AbortError' })
  const page = await browser()
  const offered = page.offer()
  assert.equal((await takeOffer(fleet, 'w1')).call, page.call)
  assert.equal((await answerOffer(fleet, page.call, 'w1')).status, 204)
  assert.equal((await offered).status, 201)
})

test('a worker that hangs up in the moment in which a browser is its own gives it back', async () => {
  const { soundOffers, placementOffers, trunkTestOffers, database } = deployment.gateway.services
  const page = await browser()
  const offered = page.offer()
  await isOffered(page.call)
  const gone = new AbortController()
  const offerClaims = new OfferClaims({
    clock,
    notifier: new WorkerNotifier({ database, clock, signals: { on() {}, send() {} } }),
    placementOffers,
    trunkTestOffers,
    soundOffers: {
      takeNext: async (...asked) => {
        const taken = await soundOffers.takeNext(...asked)
        gone.abort()
        return taken
      },
      giveBack: (...given) => soundOffers.giveBack(...given),
    },
  })
  const caller = { kind: 'fleet', env: 'sandbox', org: '' } as Caller
  const nothing = { placement: null, offer: null }
  assert.deepEqual(await offerClaims.take(caller, { worker: 'gone' }, gone.signal), nothing)
  assert.equal((await takeOffer(fleet, 'w1')).call, page.call)
  assert.equal((await answerOffer(fleet, page.call, 'w1')).status, 204)
  assert.equal((await offered).status, 201)
})

test('a browser that waits on a gateway that stops is answered, and may go to another', async () => {
  const third = await deployment.another()
  const page = await browser()
  const offered = page.offer(offeredSdp, third.anonymous)
  await isOffered(page.call)
  await third[Symbol.asyncDispose]()
  refused(await offered, 503, noWorker)
  const again = page.offer()
  assert.equal((await takeOffer(fleet, 'w1')).call, page.call)
  assert.equal((await answerOffer(fleet, page.call, 'w1')).status, 204)
  assert.equal((await again).status, 201)
})

test('what is no token and no offer is refused, and a key is no token', async () => {
  const page = await browser()
  refused(
    await anonymous.post('/v1/rtc', { sdp: offeredSdp }),
    401,
    "this door takes a call's participant token",
  )
  const { key } = await org.serverToken('sandbox')
  refused(await anonymous.as(key).post('/v1/rtc', { sdp: offeredSdp }), 401, opensNothing)
  refused(await page.offer('hello'), 400, 'sdp is what a browser offers: it begins with v=0')
  assert.equal((await page.offer(`v=0${'x'.repeat(65_536)}`)).status, 400)
  const { rows } = await sql('select offered_at from browser_calls where call = $1', [page.call])
  assert.deepEqual(rows, [{ offered_at: null }])
})

test('a call that has ended takes no browser in', async () => {
  const page = await browser()
  const talk = await client.post(`/v1/calls/${page.call}/verbs`, { verb: 'end' })
  assert.equal(talk.status, 202, talk.text)
  refused(await page.offer(), 401, opensNothing)
})

test('any page may offer, also to be refused, and no other path is open to them', async () => {
  const origin = { origin: 'https://bakery.example' }
  const asked = await anonymous.with(origin).send('OPTIONS', '/v1/rtc')
  const allowed = (headers: Headers) =>
    ['origin', 'methods', 'headers'].map((what) => headers.get(`access-control-allow-${what}`))
  assert.deepEqual(
    [asked.status, ...allowed(asked.headers)],
    [204, '*', 'GET, POST', 'authorization, content-type, last-event-id'],
  )
  for (const body of [{ sdp: offeredSdp }, {}]) {
    const { headers } = await anonymous.with(origin).post('/v1/rtc', body)
    assert.equal(headers.get('access-control-allow-origin'), '*')
  }
  const tokens = await client.with(origin).post('/v1/tokens', { agent: 'desk' })
  assert.equal(tokens.headers.get('access-control-allow-origin'), null)
})
