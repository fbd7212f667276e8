import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test, type TestContext } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { fleetKey, startDeployment, type Deployment } from '@switchroom/gateway/testing/deployment'
import { done } from '@switchroom/gateway/testing/agents/test-agents'
import { until } from '@switchroom/gateway/testing/until'
import { EmbeddedPlane } from '@switchroom/media/embedded'
import { LiveKitFake } from '@switchroom/media/testing/livekit-fake'
import { GatewayClient } from '@switchroom/worker/gateway-client'
import { Fences } from '@switchroom/worker/phone/fences'

// Its gateways look after the numbers of a LiveKit server, and so take away no fence that no number asks for.
const fake = await LiveKitFake.start()
const { url, key, secret } = fake.address
const deployment = await startDeployment({ SVC_MEDIA_URL: url, SVC_MEDIA_KEY: key, SVC_MEDIA_SECRET: secret })
after(async () => {
  await deployment[Symbol.asyncDispose]()
  await fake.stop()
})
const other = await deployment.another()

interface Seen {
  isCompressed: boolean
  /** All fences, or what is different. */
  isWhole: boolean
}

/** A balancer before gateways; one in the way of earlier versions knows nothing of changes. */
async function startBalancer(
  t: TestContext,
  choose: (turn: number) => { to: Deployment; isEarlier?: boolean },
) {
  const seen: Seen[] = []
  let turn = 0
  const server = createServer((asked, answer) => {
    const { to, isEarlier } = choose((turn += 1))
    const path = new URL(asked.url ?? '', to.url)
    if (isEarlier) path.searchParams.delete('changes')
    const headers = { authorization: asked.headers.authorization, 'accept-encoding': isEarlier ? '' : 'gzip' }
    const passed = request(path, { headers }, (response) => {
      const isCompressed = response.headers['content-encoding'] === 'gzip'
      answer.writeHead(response.statusCode ?? 0, response.headers)
      const pieces: Buffer[] = []
      response.on('data', (piece: Buffer) => pieces.push(piece))
      response.on('end', () => {
        const body = Buffer.concat(pieces)
        seen.push({
          isCompressed,
          isWhole: (isCompressed ? gunzipSync(body) : body).includes('"fences"'),
        })
        answer.end(body)
      })
    })
    passed.on('error', () => answer.destroy())
    answer.on('close', () => passed.destroy())
    passed.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

/** The fences of a worker that asks there. */
function startWorker(t: TestContext, gatewayUrl: string, pauseWithoutNewsMs: number) {
  const fences = new Fences({ pauseWithoutNewsMs })
  const stop = new AbortController()
  t.after(() => stop.abort())
  const client = new GatewayClient({ gatewayUrl, fleetKey }, 'worker-1')
  void fences.follow(client, 'sandbox', deployment.gateway.services.logger, stop.signal)
  return fences
}

let last = 0
async function admit(org: string, count: number, at: Deployment = deployment) {
  const { embeddedFences, placementOffers } = at.gateway.services
  const numbers = Array.from({ length: count }, () => `+1555${(last += 1)}`)
  const name = `${org}/sandbox/apicarrier`
  await new EmbeddedPlane(embeddedFences, placementOffers).admit({
    org,
    env: 'sandbox',
    fleet: 'main',
    fences: count > 0 ? [{ name, networks: ['203.0.113.0/24'], numbers }] : [],
  })
}

async function hasAll(fences: Fences) {
  const whole = done(await deployment.anonymous.as(fleetKey).get('/v1/worker/fences?env=sandbox'))
  const wanted = JSON.stringify(whole.fences)
  const byName = (one: { name: string }, two: { name: string }) => (one.name < two.name ? -1 : 1)
  await until('the worker has all fences and no others', () => {
    return JSON.stringify(fences.all.toSorted(byName)) === wanted
  })
}

test('a worker gets the fences of a gateway of an earlier version, and goes on when that is replaced', async (t) => {
  let isEarlier = true
  const balancer = await startBalancer(t, () => ({ to: deployment, isEarlier }))
  await admit('org_a', 200)
  const fences = startWorker(t, balancer.url, 100)
  await hasAll(fences)
  await admit('org_b', 2)
  await hasAll(fences)
  assert.ok(balancer.seen.every(({ isWhole, isCompressed }) => isWhole && !isCompressed))
  isEarlier = false
  await admit('org_a', 150)
  await hasAll(fences)
  await admit('org_b', 0)
  await hasAll(fences)
  await until('a whole list came compressed', () => balancer.seen.some(({ isCompressed }) => isCompressed))
  await until('only what is different came', () => balancer.seen.some(({ isWhole }) => !isWhole))
})

test('a worker between gateways of two versions has every change, though each of them sends all fences', async (t) => {
  const balancer = await startBalancer(t, (turn) => ({ to: deployment, isEarlier: turn % 2 === 0 }))
  const fences = startWorker(t, balancer.url, 100)
  for (const count of [3, 0, 4]) {
    await admit('org_c', count)
    await hasAll(fences)
  }
})

test('a worker whose requests go to two gateways in turn has every change, and all fences are sent once', async (t) => {
  const gateways = [deployment, other]
  const balancer = await startBalancer(t, (turn) => ({ to: gateways[turn % 2] ?? deployment }))
  const fences = startWorker(t, balancer.url, 10_000)
  for (let round = 0; round < 5; round += 1) {
    const changes = [1, 2, 3, 4].map((n) => admit(`org_${n}`, (round * n) % 4, gateways[n % 2]))
    await Promise.all(changes)
    await hasAll(fences)
  }
  assert.equal(balancer.seen.filter(({ isWhole }) => isWhole).length, 1)
})
