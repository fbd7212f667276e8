import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startDeployment } from '@switchroom/gateway/testing/deployment'
import { done, TestAgent } from '@switchroom/gateway/testing/agents/test-agents'
import { Machine } from '../../testing/terminal.ts'

const deployment = await startDeployment()
const org = await deployment.newOrg()
const ana = await org.person('admin', { production: true })
const machine = new Machine({ SVC_GATEWAY_URL: deployment.url, SVC_KEY: ana.key })
after(async () => {
  machine[Symbol.dispose]()
  await deployment[Symbol.asyncDispose]()
})
const newAgent = () => new TestAgent(ana.client)

test('settings set changes what is named and keeps the rest, in the scope of the caller', async () => {
  const { slug, at } = newAgent()
  const set = (...words: string[]) => machine.run(['settings', 'set', slug, ...words])
  assert.equal(
    (await set('greeting.say=Good morning.', 'max_duration_s=60')).stdout,
    `${slug} is at v1 of yours.\n`,
  )
  assert.equal(
    (await set('greeting.allow_interruptions=false', 'max_duration_s=', '--note', 'calmer')).status,
    0,
  )
  const view = done(await ana.client.get(`${at}/settings`))
  assert.deepEqual(view.yours.config, { greeting: { say: 'Good morning.', allow_interruptions: false } })
  assert.deepEqual([view.yours.version, view.yours.note, view.team], [2, 'calmer', null])

  assert.equal((await set('record=true', '--team')).stdout, `${slug} is at v1 of team.\n`)
  assert.equal((await set('record=true', '--env', 'production')).stdout, `${slug} is at v1 of production.\n`)
  const shown = (await machine.run(['settings', 'get', slug])).stdout.trimEnd().split('\n')
  assert.deepEqual(shown, [
    'yours\tv2\tgreeting\t{"say":"Good morning.","allow_interruptions":false}',
    'team\tv1\trecord\ttrue',
    'production\tv1\trecord\ttrue',
  ])
  assert.deepEqual((await machine.run(['settings', 'get', slug, 'greeting'])).stdout.split('\n'), [
    shown[0],
    '',
  ])
})

test('settings set says which scope it wrote, who runs on it, and how to write the others', async () => {
  const { slug } = newAgent()
  const set = async (words: string[], on = machine) =>
    on.run(['settings', 'set', slug, 'record=true', ...words])
  assert.equal(
    (await set([])).stderr,
    'This is your draft, which your own calls in the sandbox run on. For the team add --team, for production --env production.\n',
  )
  const teams =
    "This is the team's scope, which calls in the sandbox run on unless a draft is over it. For your draft leave out --team; for production add --env production.\n"
  assert.equal((await set(['--team'])).stderr, teams)
  assert.equal(
    (await set(['--env', 'production'])).stderr,
    'This is the scope of production, which every call there runs on. For the sandbox add --env sandbox.\n',
  )
  const { key } = await org.serverToken('sandbox', { scopes: ['app'] })
  using ci = new Machine({ SVC_GATEWAY_URL: deployment.url, SVC_KEY: key })
  assert.match((await set([], ci)).stderr, /^This is the team's scope, .+ A server token has no draft; /)
  assert.equal((await set(['--json'])).stderr, '')
})

test('settings set refuses an unknown knob before it asks the gateway, and prints what the gateway refuses', async () => {
  const { slug } = newAgent()
  const unknown = await machine.run(['settings', 'set', slug, 'vioce=x'])
  assert.equal(unknown.status, 2)
  assert.match(unknown.stderr, /^svc: unknown setting vioce: use one of voice, tts, /)
  const neither = await machine.run(['settings', 'set', slug])
  assert.deepEqual([neither.status, neither.stderr], [2, 'svc: give either knob=value or --file\n'])
  await machine.run(['settings', 'set', slug, 'record=true'])
  const late = await machine.run(['settings', 'set', slug, 'record=false', '--if-version', '0'])
  assert.equal(late.status, 1)
  assert.match(late.stderr, /^svc: .+\n$/)
})

test('a whole set comes from a file or from standard input', async () => {
  const { slug, at } = newAgent()
  const file = join(machine.home, 'set.json')
  writeFileSync(file, '{"record": true}')
  assert.equal((await machine.run(['settings', 'set', slug, '--file', file])).status, 0)
  assert.equal(
    (await machine.run(['settings', 'set', slug, '--file', '-'], '{"max_duration_s": 9}')).status,
    0,
  )
  assert.deepEqual(done(await ana.client.get(`${at}/settings`)).yours.config, { max_duration_s: 9 })
  const broken = await machine.run(['settings', 'set', slug, '--file', '-'], '{')
  assert.equal(broken.status, 2)
  assert.match(broken.stderr, /^svc: standard input is not JSON: /)
  const missing = await machine.run(['settings', 'set', slug, '--file', 'nowhere.json'])
  assert.equal(missing.status, 2)
})

test('versions are compared, listed and copied forward', async () => {
  const { slug } = newAgent()
  await machine.run(['settings', 'set', slug, 'max_duration_s=10', '--team', '--note', 'first'])
  await machine.run(['settings', 'set', slug, 'max_duration_s=20'])
  await machine.run(['settings', 'set', slug, 'max_duration_s=30'])
  const diff = await machine.run(['settings', 'diff', slug, '--against', 'team'])
  assert.deepEqual([diff.status, diff.stdout], [0, 'max_duration_s\t30\t10\n'])
  assert.equal(
    (await machine.run(['settings', 'rollback', slug, 'v1'])).stdout,
    `${slug} is at v3 of yours.\n`,
  )
  const { versions } = await machine.json(['settings', 'history', slug])
  assert.deepEqual(
    versions.map((row: { config: object }) => row.config),
    [{ max_duration_s: 20 }, { max_duration_s: 30 }, { max_duration_s: 20 }],
  )
  assert.match(
    (await machine.run(['settings', 'history', slug, '--team'])).stdout,
    /^v1\t.+\tfirst\tmax_duration_s\n$/,
  )
  assert.equal((await machine.run(['settings', 'rollback', slug, 'third'])).status, 2)
  assert.equal((await machine.run(['settings', 'rollback', slug, '9'])).status, 1)
})

test('a canary is set, read and ended', async () => {
  const { slug } = newAgent()
  await machine.run(['settings', 'set', slug, 'max_duration_s=10'])
  await machine.run(['settings', 'set', slug, 'max_duration_s=20'])
  const { canary } = await machine.json(['canary', 'set', slug, 'v1', '25%', '--note', 'trying'])
  assert.deepEqual([canary.version, canary.share, canary.note], [1, 25, 'trying'])
  assert.match((await machine.run(['canary', 'get', slug])).stdout, /^version\tv1\nshare\t25 % of calls\n/)
  const ended = await machine.run(['canary', 'end', slug])
  assert.equal(ended.stdout, 'No canary: every call runs the newest version.\n')
})

test('words are added to the lexicon and taken out, the others kept', async () => {
  const { slug, at } = newAgent()
  const lexicon = async () => done(await ana.client.get(`${at}/lexicon`)).yours.lexicon
  assert.equal(
    (await machine.run(['lexicon', 'say', slug, 'SQL', 'sequel'])).stdout,
    'The lexicon is at v1 of yours.\n',
  )
  await machine.run(['lexicon', 'say', slug, 'GIF', 'jif'])
  await machine.run(['lexicon', 'hear', slug, 'Switchroom'])
  await machine.run(['lexicon', 'drop', slug, 'GIF'])
  assert.deepEqual(await lexicon(), { said: [{ word: 'SQL', spoken: 'sequel' }], heard: ['Switchroom'] })
  assert.equal(
    (await machine.run(['lexicon', 'get', slug])).stdout,
    'yours\tsaid\tSQL\tsequel\nyours\theard\tSwitchroom\t\n',
  )
  await machine.run(['lexicon', 'set', slug, '--file', '-'], '{"heard": ["bread"]}')
  assert.deepEqual(await lexicon(), { said: [], heard: ['bread'] })
  assert.equal((await machine.json(['lexicon', 'history', slug])).versions.length, 5)
})
