import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { operatorKey } from '@switchroom/gateway/testing/deployment'
import { client as registered } from '@switchroom/gateway/testing/people/identity-provider'
import { startMailServer } from '@switchroom/gateway/testing/mail/mail-server'
import { newDomain, startSsoDeployment } from '@switchroom/gateway/testing/people/sso'
import { changeRow, startSpeechFake } from '@switchroom/gateway/testing/providers/vendors'
import { done } from '@switchroom/gateway/testing/agents/test-agents'
import { Machine } from '../../testing/terminal.ts'

const deployment = await startSsoDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { dns, provider, url } = deployment

async function signedInAdmin(t: Parameters<typeof Machine.of>[0]) {
  const { key, client } = await (await deployment.newOrg()).person('admin')
  return { client, machine: Machine.of(t, { SVC_GATEWAY_URL: url, SVC_KEY: key }) }
}

test('an identity provider is set with a secret that is never shown, its domain proven, changed in part and forgotten', async (t) => {
  const { machine, client } = await signedInAdmin(t)
  const domain = newDomain()
  const none = await machine.run(['sign-on'])
  assert.deepEqual(
    [none.status, none.stderr],
    [0, 'No identity provider is set: members sign in with passwords.\n'],
  )
  assert.match(none.stdout, /^redirect address\thttp/)
  const early = await machine.run(['sign-on', 'set', '--client-id', 'x'])
  assert.deepEqual([early.status, early.stderr], [2, 'svc: --issuer is missing\n'])
  const { client_id, client_secret } = registered
  const setting = [
    'sign-on',
    'set',
    '--issuer',
    provider.issuer,
    '--client-id',
    client_id,
    '--domain',
    domain,
  ]
  const set = await machine.run(setting, `${client_secret}\n`)
  assert.equal(set.status, 0, set.stderr)
  assert.ok(!`${set.stdout}${set.stderr}`.includes(client_secret))
  const [, record = ''] = new RegExp(`^${domain}\\tno\\t(\\S+)$`, 'm').exec(set.stdout) ?? []

  const wrong = await machine.run(['sign-on', 'verify', domain])
  assert.deepEqual(
    [wrong.status, wrong.stderr],
    [1, `svc: ${domain} holds no TXT record and not ${record}\n`],
  )
  dns.set(domain, { TXT: [record] })
  assert.equal((await machine.run(['sign-on', 'verify', domain])).stdout, `Verified ${domain}.\n`)

  const changed = await machine.json(['sign-on', 'set', '--role', 'qa', '--required', 'yes'])
  assert.deepEqual(changed, done(await client.get('/v1/org/sso')))
  assert.deepEqual(
    [changed.role, changed.required, changed.domains, changed.issuer],
    ['qa', true, [domain], provider.issuer],
  )
  assert.equal((await machine.json(['sign-on', 'set', '--role', 'none', '--required', 'no'])).role, null)
  assert.equal(
    (await machine.run(['sign-on', 'forget'])).stdout,
    'Deleted the identity provider. Members sign in with passwords.\n',
  )
  assert.equal(done(await client.get('/v1/org/sso')).configured, false)
})

test('a vendor runs on a key that is asked for and never shown, or on the fields of a file, until it is forgotten', async (t) => {
  const { machine, client } = await signedInAdmin(t)
  const own = async () => done(await client.get('/v1/provider-keys')).vendors
  const terminal = machine.open(['provider-keys', 'bring', 'openai', '--untried'])
  await terminal.shows('Key of openai: ')
  terminal.type('sk-secret-of-acme\r')
  const { status, text } = await terminal.ended()
  assert.equal(status, 0, text)
  assert.ok(!text.includes('sk-secret'), text)
  assert.match(text, /openai uses the org's own key from the next call\./)
  const listed = await machine.run(['provider-keys'])
  assert.match(listed.stdout, /^openai\t[a-z -]+\tyours\tyes\t$/m)
  assert.deepEqual(await machine.json(['provider-keys']), done(await client.get('/v1/providers')))

  writeFileSync(join(machine.home, 'fields.json'), '{"api_key": "another"}')
  const filed = await machine.json([
    'provider-keys',
    'bring',
    'deepgram',
    '--file',
    'fields.json',
    '--untried',
  ])
  assert.deepEqual(filed, { vendors: await own() })
  assert.deepEqual((await own()).toSorted(), ['deepgram', 'openai'])
  assert.equal(
    (await machine.run(['provider-keys', 'forget', 'openai'])).stdout,
    "Deleted the org's own key for openai.\n",
  )
  const twice = await machine.run(['provider-keys', 'forget', 'openai'])
  assert.deepEqual([twice.status, twice.stderr], [1, 'svc: this org brought no key for openai\n'])
  const only = ['--only', 'production']
  await machine.json(['provider-keys', 'bring', 'deepgram', '--file', 'fields.json', '--untried', ...only])
  assert.deepEqual(done(await client.get('/v1/provider-keys?env=production')).vendors, ['deepgram'])
  assert.equal(
    (await machine.run(['provider-keys', 'forget', 'deepgram', ...only])).stdout,
    'Deleted the key for deepgram in production.\n',
  )
  assert.deepEqual(await own(), ['deepgram'])
})

test('a key that its vendor refuses is not kept, in the words of the vendor', async (t) => {
  const { machine, client } = await signedInAdmin(t)
  const vendor = await startSpeechFake()
  t.after(() => vendor.stop())
  vendor.mode = 'refuse'
  vendor.words = 'Invalid credentials.'
  await changeRow(deployment, (row) => void (row.options['tts/deepgram'] = { base_url: vendor.url }))
  const { status, stderr } = await machine.run(['provider-keys', 'bring', 'deepgram'], 'sk-of-acme\n')
  assert.deepEqual([status, stderr], [1, 'svc: deepgram refused: Invalid credentials.\n'])
  assert.deepEqual(done(await client.get('/v1/provider-keys')).vendors, [])
})

test('a policy is changed in part, a count goes back to its default, and the gateway’s sentence refuses the rest', async (t) => {
  const { machine, client } = await signedInAdmin(t)
  assert.match(
    (await machine.run(['policy'])).stdout,
    /^hours\tany\nconsent everywhere\tno\nper number and day\t3 for \+1/,
  )
  const days = ['--day', 'mon', '--day', 'tue']
  const set = await machine.run(['policy', '--hours', '09:00-18:00', ...days, '--per-number', '2'])
  assert.match(set.stdout, /^hours\t09:00-18:00 mon tue\nconsent everywhere\tno\nper number and day\t2\n/)
  const everywhere = await machine.json(['policy', '--consent-everywhere', 'yes', '--per-number', 'default'])
  assert.deepEqual(everywhere, done(await client.get('/v1/org/policy')))
  assert.deepEqual([everywhere.consent_everywhere, everywhere.per_number_day], [true, null])
  assert.deepEqual(everywhere.calling_hours, { start: '09:00', end: '18:00', days: ['mon', 'tue'] })
  assert.equal((await machine.json(['policy', '--hours', 'any'])).calling_hours, null)
  for (const [args, sentence] of [
    [['--hours', 'noon'], 'noon is not a time range: write 09:00-18:00, or any'],
    [['--day', 'mon'], '--day needs --hours'],
    [['--per-day', 'many'], '--per-day must be a number'],
  ] as const) {
    const { status, stderr } = await machine.run(['policy', ...args])
    assert.deepEqual([status, stderr], [2, `svc: ${sentence}\n`])
  }
  const refused = await client.put('/v1/org/policy', { per_number_day: 0 })
  const said = await machine.run(['policy', '--per-number', '0'])
  assert.deepEqual([said.status, said.stderr], [1, `svc: ${refused.body.detail}\n`])
})

test('a mailbox is kept with a password that is never shown, tried with a letter, and forgotten, by an org and by the operator', async (t) => {
  const { machine, client } = await signedInAdmin(t)
  const none = await machine.run(['mail'])
  assert.match(none.stderr, /^The org has no SMTP account: /)
  const setting = ['mail', 'set', '--host', 'smtp.example.com', '--from', 'Acme <post@acme.example>']
  const kept = await machine.run([...setting, '--username', 'acme'], 'hunter2 of acme\n')
  assert.deepEqual(kept, {
    status: 0,
    stdout: 'server\tsmtp.example.com:587\nsecurity\tstarttls\nuser\tacme\nfrom\tAcme <post@acme.example>\n',
    stderr: '',
  })
  const open = await machine.json(['mail', 'set', '--no-username', '--port', '465', '--security', 'tls'])
  assert.deepEqual(open, done(await client.get('/v1/org/mail')))
  assert.deepEqual([open.username, open.port, open.host], [null, 465, 'smtp.example.com'])
  assert.equal((await machine.run(['mail', 'test', 'ana@example.com'])).status, 1)
  assert.equal((await machine.run(['mail', 'forget'])).stdout, 'Deleted the SMTP account.\n')

  const letters = await startMailServer()
  t.after(() => letters[Symbol.asyncDispose]())
  const operator = Machine.of(t, { SVC_GATEWAY_URL: url, SVC_KEY: operatorKey })
  const missing = await operator.run(['ops', 'mail', 'set', '--host', '127.0.0.1'])
  assert.deepEqual([missing.status, missing.stderr], [2, 'svc: --from is missing\n'])
  const here = ['--host', '127.0.0.1', '--port', String(letters.port)]
  const platform = await operator.json(['ops', 'mail', 'set', ...here, '--from', 'post@switchroom.test'])
  assert.deepEqual([platform.source, platform.security], ['stored', 'starttls'])
  const unsent = await operator.run(['ops', 'mail', 'test', 'ana@example.com'])
  const { error } = done(await deployment.operator.post('/v1/ops/mail/test', { to: 'ana@example.com' }))
  assert.deepEqual([unsent.status, unsent.stderr], [1, `svc: ${error}\n`])
  assert.equal((await operator.run(['ops', 'mail', 'forget'])).status, 0)
})
