import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { agentLog } from '@switchroom/gateway/calls/log/entries'
import { startDeployment } from '@switchroom/gateway/testing/deployment'
import { done } from '@switchroom/gateway/testing/agents/test-agents'
import { Machine } from '../../testing/terminal.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { log } = deployment.gateway.services

const wanted = (note: string) => ({
  type: 'callback.requested',
  data: {
    number: '+34600111222',
    when: 'after six',
    note,
    call: 'call_1',
    channel: 'chat',
    contact: null,
    via: 'agent',
  },
})

async function newOrgWithCalls() {
  const org = await deployment.newOrg()
  const token = await org.serverToken('sandbox')
  for (const agent of ['desk', 'sales']) done(await token.client.post('/v1/calls', { agent }))
  const ask = (agent: string, ...notes: string[]) =>
    log.append(agentLog({ org: org.id, env: 'sandbox', agent }), notes.map(wanted))
  return { ask, key: token.key, client: token.client }
}

/** Signed in, so that key and address come from the profile. */
async function signedIn(machine: Machine, key: string) {
  const { status, stderr } = await machine.run(['login', '--gateway', deployment.url, '--with-key'], key)
  assert.equal(status, 0, stderr)
}

test('callbacks are listed one line an entry from the signed-in profile, of one agent alone with --agent (N-379, ND-98)', async (t) => {
  const machine = Machine.of(t)
  const { ask, key, client } = await newOrgWithCalls()
  await signedIn(machine, key)
  assert.deepEqual(await machine.run(['callbacks']), {
    status: 0,
    stdout: '',
    stderr: 'No callbacks.\n',
  })
  await ask('sales', 'about bread')
  deployment.clock.forward(1_000)
  await ask('desk', 'about\u001b[2J a table\nfor two')

  const { stdout } = await machine.run(['callbacks'])
  const lines = stdout.trimEnd().split('\n')
  assert.deepEqual(
    lines.map((line) => line.split('\t').slice(1)),
    [
      ['sales', '+34600111222', 'after six', 'about bread', 'agent'],
      ['desk', '+34600111222', 'after six', 'about [2J a table for two', 'agent'],
    ],
  )
  assert.ok(!Number.isNaN(Date.parse(lines[0]?.split('\t')[0] ?? '')))
  const desk = await machine.run(['callbacks', '--agent', 'desk'])
  assert.deepEqual(desk.stdout.trimEnd().split('\n'), [lines[1]])
  assert.deepEqual(
    await machine.json(['callbacks', '--agent', 'sales']),
    done(await client.get('/v1/callbacks?agent=sales')),
  )
})

test('if there are more the last line is the cursor, and --after continues from it (N-379, ND-98)', async (t) => {
  const machine = Machine.of(t)
  const { ask, key, client } = await newOrgWithCalls()
  await signedIn(machine, key)
  await ask('desk', ...Array.from({ length: 101 }, (_, at) => `note ${at}`))
  const { next } = done(await client.get('/v1/callbacks'))
  const first = (await machine.run(['callbacks'])).stdout.trimEnd().split('\n')
  assert.deepEqual([first.length, first.at(-1)], [101, `next: ${next}`])
  const second = (await machine.run(['callbacks', '--after', next])).stdout.trimEnd().split('\n')
  assert.deepEqual(
    second.map((line) => line.split('\t')[4]),
    ['note 100'],
  )
})

test('at a terminal the list has titles and fits its width, one line an entry (ND-98)', async (t) => {
  const machine = Machine.of(t)
  const { ask, key } = await newOrgWithCalls()
  await signedIn(machine, key)
  await ask('desk', 'a very long note '.repeat(20))
  const narrow = machine.open(['callbacks'], {}, 72)
  assert.equal((await narrow.ended()).status, 0)
  const [titles = '', row = '', ...more] = narrow.lines
  assert.match(titles, /^TIME +AGENT +NUMBER +WHEN +NOTE +VIA$/)
  assert.deepEqual([row.length <= 72, row.includes('…'), more], [true, true, []], row)
  assert.ok(narrow.raw.includes('\u001b['))
  const plain = machine.open(['callbacks'], { NO_COLOR: '1' }, 72)
  await plain.ended()
  assert.ok(!plain.raw.includes('\u001b['), plain.raw)
})
