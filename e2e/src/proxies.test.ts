import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startChatDeployment } from '@switchroom/gateway/testing/calls/chat-deployment'
import { EventReader } from '@switchroom/gateway/testing/calls/event-reader'
import { until } from '@switchroom/gateway/testing/until'
import { missing } from '@switchroom/tools/debian-packages'
import { proxyPrograms, startProxy } from './proxy-programs.ts'

const trusting = { SVC_TRUSTED_PROXIES: '127.0.0.1, ::1' }
const chats = await startChatDeployment(trusting)
after(() => chats[Symbol.asyncDispose]())
const { deployment, org, key } = chats

for (const proxy of proxyPrograms)
  test(
    `behind ${proxy.program} as in deploy/proxies, sockets and event streams pass at once, a client cannot claim an address, and a gateway that stops is not missed`,
    { skip: missing(proxy.program) },
    async (t) => {
      const other = await deployment.another()
      const gateways = [deployment, other].map(({ url }) => new URL(url).host)
      const url = await startProxy(t, proxy, gateways)
      const agent = await chats.newAgent()
      const chat = await agent.chat({}, { url })
      assert.match(await chat.ask('Hello?'), /\w/)

      using reader = await EventReader.open(`${url}/v1/calls/${chat.call}/events`, {
        authorization: `Bearer ${key}`,
      })
      assert.equal(reader.status, 200)
      const answers = () => reader.types.filter((type) => type === 'agent.message').length
      await until('what was said before comes', () => answers() === 1)
      await chat.ask('Are you there?')
      await until('what is said now comes while the stream is open', () => answers() === 2)
      await chat.close()

      const admin = await org.person('admin')
      const made = await fetch(`${url}/v1/keys`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${admin.key}`,
          'content-type': 'application/json',
          'x-forwarded-for': '198.51.100.66',
        },
        body: JSON.stringify({ label: 'of a client behind a proxy', env: 'sandbox' }),
      })
      assert.equal(made.status, 200, await made.text())
      const { rows } = await deployment.sql(
        'select row_to_json(a) as entry from audit a order by at desc limit 1',
      )
      assert.doesNotMatch(JSON.stringify(rows), /198\.51\.100\.66/)
      assert.match(JSON.stringify(rows), /127\.0\.0\.1|::1/)

      await other[Symbol.asyncDispose]()
      for (let asked = 0; asked < 10; asked += 1) {
        const answer = await fetch(`${url}/v1/whoami`, { headers: { authorization: `Bearer ${key}` } })
        assert.equal(answer.status, 200)
      }
    },
  )
