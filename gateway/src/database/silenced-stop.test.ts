import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { lentKeys, startChatDeployment } from '../../testing/calls/chat-deployment.ts'
import { GatewayProcess } from '../../testing/gateway-process.ts'
import { hangs } from '../../testing/providers/model-fake.ts'
import { SilencingProxy } from '../../testing/silencing-proxy.ts'
import { until } from '../../testing/until.ts'

const chats = await startChatDeployment()
after(() => chats[Symbol.asyncDispose]())
const { deployment, key, model } = chats
const everything = ''

/** A gateway behind the proxy, in the middle of what it does. */
async function busyGateway(proxy: SilencingProxy) {
  const gateway = await GatewayProcess.start(deployment, {
    SVC_DATABASE_URL: proxy.url,
    SVC_PROVIDER_KEY_OPENAI: lentKeys.openai,
    SVC_PROVIDER_KEY_GROQ: lentKeys.groq,
  })
  model.reply = () => 'Hello.'
  const agent = await chats.newAgent({}, gateway)
  const chat = await agent.chat({}, gateway)
  await chat.ask('One')
  const stream = await fetch(`${gateway.url}/v1/events`, { headers: { authorization: `Bearer ${key}` } })
  assert.equal(stream.status, 200)
  stream.body?.cancel().catch(() => {})
  model.reply = () => hangs
  chat.say('Two')
  await until('the model is asked', () => model.open > 0)
  return gateway
}

for (const [what, isBack] of [
  ['while nothing reaches the database', false],
  ['while only new connections reach the database', true],
] as const)
  test(`a gateway process stops on SIGTERM ${what}`, async (t) => {
    using proxy = await SilencingProxy.start(deployment.database.url)
    await using gateway = await busyGateway(proxy)
    proxy.silence(everything)
    if (isBack) proxy.carryOn()
    const sinceMs = performance.now()
    assert.equal(await gateway.terminate(), 0)
    t.diagnostic(`stopped after ${((performance.now() - sinceMs) / 1000).toFixed(1)} s`)
  })
