import assert from 'node:assert/strict'
import { SpokenAgent } from '@switchroom/gateway/testing/calls/spoken-calls'
import type { WireCase } from './wire-suite.ts'

export const requestCases: readonly WireCase[] = [
  {
    name: 'a refused request raises the code, the sentence and the status of the gateway',
    async run({ driver, line, key }) {
      const at = { url: line.url, key }
      await assert.rejects(driver.ask('numbers', at), { code: 'MISSING_SCOPE', status: 403 })
      await assert.rejects(driver.ask('endpoints', { ...at, key: 'svc_live_wrong' }), {
        code: 'INVALID_KEY',
        status: 401,
      })
      await assert.rejects(driver.ask('follow', { call: 'call_unknown', ...at }), {
        code: 'NOT_FOUND',
        status: 404,
      })
    },
  },
  {
    name: 'a dial says what it would be answered, and its metadata reaches the gateway',
    async run(fixture) {
      const { driver, line, key } = fixture
      const at = { url: line.url, key, to: '+34911234567' }
      const { agent } = await fixture.newAgent()
      const { would, reason } = await driver.ask('explain', { ...at, agent })
      assert.deepEqual([would, reason], ['refuse', 'no_from'])
      await assert.rejects(driver.ask('dial', { ...at, agent }), { code: 'NO_FROM', status: 409 })
      await assert.rejects(driver.ask('dial', { ...at, agent, metadata: { long: 'x'.repeat(4096) } }), {
        code: 'BAD_REQUEST',
        detail: 'metadata is at most 4096 bytes of JSON',
        status: 400,
      })
    },
  },
  {
    name: 'numbers are listed and released, threads are read, and model endpoints are listed and read',
    async run(fixture) {
      const { driver, line, chats } = fixture
      const { key } = await chats.org.serverToken('sandbox', {
        scopes: ['numbers', 'providers', 'calls', 'talk'],
      })
      const at = { url: line.url, key }
      const { agent } = await fixture.newAgent()
      const { number } = await new SpokenAgent(chats.deployment, chats.org, agent).route()
      const isThere = async () =>
        (await driver.ask('numbers', at)).some(
          ({ route }: { route: { number: string } }) => route.number === number,
        )
      assert.equal(await isThere(), true)
      await driver.ask('releaseNumber', { ...at, number })
      assert.equal(await isThere(), false)
      await assert.rejects(driver.ask('releaseNumber', { ...at, number }), { code: 'NOT_FOUND', status: 404 })

      assert.deepEqual(await driver.ask('threads', { ...at, agent }), { threads: [], next: null })
      const written = { ...at, agent, contact: '+34911234567', text: 'hello' }
      await assert.rejects(
        driver.ask('writeThread', written),
        ({ status, detail }: { status: number; detail: string }) => status >= 400 && detail.length > 10,
      )
      assert.deepEqual(await driver.ask('endpoints', at), [])
      await assert.rejects(driver.ask('readEndpoint', { ...at, name: 'none' }), {
        code: 'NOT_FOUND',
        status: 404,
      })
    },
  },
]
