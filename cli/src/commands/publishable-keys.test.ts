import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startDeployment } from '@switchroom/gateway/testing/deployment'
import { Machine } from '../../testing/terminal.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())

test('a publishable key is created for an agent and its origins, printed alone on standard output, listed and revoked', async (t) => {
  const { key } = await (await deployment.newOrg()).person('developer')
  const machine = Machine.of(t, { SVC_GATEWAY_URL: deployment.url, SVC_KEY: key })
  const none = await machine.run(['publishable-keys'])
  assert.deepEqual(
    [none.status, none.stderr],
    [0, 'No publishable keys. Create one with svc publishable-keys create.\n'],
  )
  const create = ['publishable-keys', 'create', 'shop', '--agent', 'hello']
  const bare = await machine.run(create)
  assert.deepEqual(
    [bare.status, bare.stderr],
    [1, 'svc: origins are 1 to 20, such as https://shop.example (got 0)\n'],
  )
  const origin = ['--origin', 'https://shop.example', '--origin', 'http://localhost:3000']
  const made = await machine.run([...create, ...origin, '--visitor-per-hour', '5'])
  assert.equal(made.status, 0, made.stderr)
  assert.match(made.stdout, /^pk_[\w-]{43}\n$/)
  assert.match(
    made.stderr,
    /^pub_\w+ opens hello in the sandbox environment from pages of https:\/\/shop\.example, http:\/\/localhost:3000\.\n$/,
  )
  const { publishable_keys } = await machine.json(['publishable-keys'])
  const [{ id, visitor_per_hour, per_minute }] = publishable_keys
  assert.deepEqual([visitor_per_hour, per_minute], [5, 60])
  const listed = await machine.run(['publishable-keys'])
  assert.ok(listed.stdout.includes(`${id}\tshop\thello\tsandbox\t`), listed.stdout)
  const revoked = await machine.run(['publishable-keys', 'revoke', id])
  assert.deepEqual([revoked.status, revoked.stdout], [0, 'Revoked shop.\n'])
  assert.match((await machine.run(['publishable-keys', '--all'])).stdout, /\trevoked\t/)
})
