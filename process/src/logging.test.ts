import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { test } from 'node:test'
import { makeLogger } from './logging.ts'

function logged(write: (logger: ReturnType<typeof makeLogger>) => void): Record<string, unknown>[] {
  const lines: string[] = []
  const sink = new Writable({ write: (chunk, _encoding, done) => (lines.push(String(chunk)), done()) })
  write(makeLogger('info', sink))
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>)
}

test('a line is JSON with its level in words and its time', () => {
  const [line] = logged((logger) => logger.info({ port: 80 }, 'listening'))
  assert.deepEqual({ ...line, time: '' }, { level: 'info', time: '', port: 80, msg: 'listening' })
  assert.ok(Math.abs(Date.parse(String(line?.['time'])) - Date.now()) < 60_000)
})

test('lines below the level are left out', () => {
  assert.deepEqual(
    logged((logger) => logger.debug('x')),
    [],
  )
})

test("a database's error is logged without the row that it quotes", () => {
  const error = Object.assign(new Error('duplicate key'), {
    code: '23505',
    constraint: 'members_pkey',
    detail: 'Key (email)=(ana@example.com)',
    where: 'row 7',
  })
  const [line] = logged((logger) => logger.error({ err: error }, 'a request failed'))
  assert.deepEqual(line?.['err'], {
    message: 'duplicate key',
    code: '23505',
    constraint: 'members_pkey',
    stack: error.stack,
  })
})

test('fields that hold secrets are redacted', () => {
  const secrets = {
    authorization: 'Bearer x',
    cookie: 'x',
    password: 'x',
    secret: 'x',
    api_key: 'x',
    credentials: { api_key: 'x' },
    headers: { authorization: 'x' },
    body: 'x',
  }
  const [line] = logged((logger) => logger.info(secrets, 'x'))
  for (const field of Object.keys(secrets)) assert.equal(line?.[field], '[Redacted]', field)
})
