import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { AppendEntries } from '@switchroom/contract/log'
import { pino } from 'pino'
import { LogGateway } from '../../testing/log-gateway.ts'
import { CallLog } from './call-log.ts'
import { GatewayAway, GatewayClient } from '../gateway-client.ts'

async function logOf(t: TestContext) {
  const gateway = await new LogGateway().start(t)
  const client = new GatewayClient({ gatewayUrl: gateway.url, fleetKey: 'svc_fleet_x' }, 'worker-1')
  const log = new CallLog(client, 'call_1', pino({ level: 'silent' }))
  t.after(() => log.close())
  return { gateway, log }
}

const entry = (type: string) => ({ type, data: {} })

test('what happens in one moment is one batch, and what happens while it is under way the next, in order and numbered', async (t) => {
  const { gateway, log } = await logOf(t)
  const later: Promise<void>[] = []
  gateway.answers.push((_request, response) => {
    later.push(log.keep([entry('bot.speaking')]), log.keep([entry('bot.finished')]))
    response.end('{"seq":2}')
  })
  await Promise.all([log.keep([entry('user.message')]), log.keep([entry('turn.end')])])
  await Promise.all(later)
  assert.deepEqual(gateway.types, ['user.message', 'turn.end', 'bot.speaking', 'bot.finished'])
  assert.deepEqual(
    gateway.sent.map(({ batch, entries }) => [batch, entries.length]),
    [
      [1, 2],
      [2, 2],
    ],
  )
})

test('what is only seen live waits for company and keeps its place', async (t) => {
  const { gateway, log } = await logOf(t)
  log.show([entry('user.speaking')])
  log.show([entry('user.speaking')])
  await log.keep([entry('user.message')])
  assert.equal(gateway.sent.length, 1)
  assert.deepEqual(gateway.types, ['user.speaking', 'user.speaking', 'user.message'])
  log.show([entry('bot.word')])
  await log.flushed()
  assert.deepEqual(gateway.types.at(-1), 'bot.word')
})

test('a batch whose answer was lost is sent again under its number', async (t) => {
  const { gateway, log } = await logOf(t)
  gateway.answers.push((request) => request.socket.destroy())
  gateway.answers.push((_request, response) => response.writeHead(503).end('{"detail":"starting"}'))
  await log.keep([entry('user.message')])
  await log.keep([entry('turn.end')])
  const batches = gateway.sent.map(({ batch }) => batch)
  assert.deepEqual(batches, [1, 1, 1, 2])
})

test('a batch that was never answered is sent again under its number before the next one, which is not taken for its repetition', async () => {
  const sent: (readonly [number | undefined, string[]])[] = []
  let isAway = true
  const append = async (_call: string, { entries, batch }: AppendEntries) => {
    sent.push([batch, entries.map(({ type }) => type)])
    if (isAway) throw new GatewayAway('the gateway does not answer')
    return { seq: sent.length }
  }
  const log = new CallLog({ append, beat: async () => ({ seq: 0 }) }, 'call_1', pino({ level: 'silent' }))
  await assert.rejects(log.keep([entry('user.message')]), { message: 'the gateway does not answer' })
  isAway = false
  await log.keep([entry('call.ended')])
  log.close()
  assert.deepEqual(sent, [
    [1, ['user.message']],
    [1, ['user.message']],
    [2, ['call.ended']],
  ])
})

test('a batch that the gateway refuses rejects its `keep`, and the next batch takes its number', async (t) => {
  const { gateway, log } = await logOf(t)
  gateway.answers.push((_request, response) => response.writeHead(400).end('{"detail":"no such type"}'))
  await assert.rejects(log.keep([entry('nothing')]), { message: 'no such type', status: 400 })
  await log.keep([entry('user.message')])
  assert.deepEqual(
    gateway.sent.map(({ batch }) => batch),
    [1, 1],
  )
})

test('a log that takes nothing any more is closed, and nothing is sent to it again', async (t) => {
  const { gateway, log } = await logOf(t)
  gateway.answers.push((_request, response) =>
    response.writeHead(409).end('{"detail":"this call has ended"}'),
  )
  await assert.rejects(log.keep([entry('user.message')]), { message: 'this call has ended' })
  assert.equal(log.isClosed, true)
  await assert.rejects(log.keep([entry('turn.end')]), { message: 'this call has ended' })
  log.show([entry('bot.word')])
  await log.flushed()
  assert.equal(gateway.sent.length, 1)
})
