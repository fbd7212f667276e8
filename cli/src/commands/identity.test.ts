import assert from 'node:assert/strict'
import { readFileSync, statSync, writeFileSync, chmodSync } from 'node:fs'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname } from 'node:path'
import { after, test } from 'node:test'
import { password, startDeployment, type TestPerson } from '@switchroom/gateway/testing/deployment'
import { done } from '@switchroom/gateway/testing/agents/test-agents'
import makeCode from 'qrcode-generator'
import { Machine } from '../../testing/terminal.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { url, anonymous } = deployment

/** Approves as a person who opens the link in a signed-in browser. */
async function approve(link: string, { client }: TestPerson, org?: string) {
  const word = new URL(link).searchParams.get('c')
  return client.post(`/v1/login/pairings/${word}`, org === undefined ? {} : { org })
}

const savedKeys = (machine: Machine) =>
  readFileSync(machine.credentials, 'utf8').match(/svc_[\w-]{20,}/g) ?? []

test('a terminal waits with a link and a code until a person approves it, and has a key of its own on the same person (I-154, I-157, I-158, I-190, I-261)', async (t) => {
  const machine = Machine.of(t)
  const ana = await (await deployment.newOrg()).person('developer')
  const terminal = machine.open(['login', '--gateway', url, '--device', 'blue laptop'])
  const [, link = ''] = await terminal.shows(/^ {2}(http\S+\/cli\?c=cli_[\w-]{22})$/m)
  await terminal.shows('Waiting…')
  assert.equal(link.split('?')[0], `${url}/cli`)
  const word = new URL(link).searchParams.get('c')
  assert.equal(done(await anonymous.get(`/v1/login/pairings/${word}`)).device, 'blue laptop')
  assert.deepEqual(readCode(terminal.raw), codeOf(link))

  done(await approve(link, ana))
  const stolen = await anonymous.get(`/v1/login/pairings/${word}/key`)
  assert.ok([403, 404].includes(stolen.status), 'the word that is shown does not collect the key')
  const { status, text } = await terminal.ended()
  assert.deepEqual([status, text.includes('You are A developer in org-')], [0, true], text)

  const identity = await machine.json(['whoami'])
  assert.deepEqual([identity.subject, identity.label], [ana.id, 'blue laptop'])
  assert.notEqual(identity.key_id, done(await ana.client.get('/v1/whoami')).key_id)
})

test('the key of a paired terminal dies with the key that approved it (I-159)', async (t) => {
  const machine = Machine.of(t)
  const ana = await (await deployment.newOrg()).person('developer')
  await signIn(machine, ana)
  assert.equal((await machine.run(['whoami'])).status, 0)
  const { key_id } = done(await ana.client.get('/v1/whoami'))
  done(await ana.client.post(`/v1/keys/${key_id}/revoke`))
  const later = await machine.run(['whoami'])
  assert.deepEqual([later.status, later.stderr], [3, 'svc: this key opens nothing: run svc login\n'])
})

test('svc login takes the address of the gateway as its argument, and later commands go there', async (t) => {
  const machine = Machine.of(t)
  const { key } = await (await deployment.newOrg()).serverToken('sandbox')
  const signedIn = await machine.run(['login', url, '--with-key'], key)
  assert.deepEqual([signedIn.status, signedIn.stderr], [0, ''])
  assert.match(signedIn.stdout, new RegExp(`, at ${url}\\.\n$`))
  assert.equal((await machine.run(['whoami'])).status, 0)
  const host = url.replace('http://', '')
  assert.equal((await machine.run(['login', host, '--with-key'], key)).status, 0)
  const cases: [args: string[], sentence: string][] = [
    [['login', url, '--gateway', url], 'the gateway is given twice: leave out --gateway'],
    [['login', 'ftp://x'], 'ftp://x is not a gateway address: it must start with http:// or https://'],
    [['login', url, 'more'], 'unexpected argument more'],
  ]
  for (const [args, sentence] of cases)
    assert.deepEqual(await machine.run(args), { status: 2, stdout: '', stderr: `svc: ${sentence}\n` })
})

test('a word that died while the terminal waited ends it with a sentence (I-496)', async (t) => {
  const machine = Machine.of(t)
  const terminal = machine.open(['login', '--gateway', url, '--no-qr'])
  await terminal.shows('Waiting…')
  await deployment.sql(`update pairings set expires_at = now() - interval '1 second'`)
  const { status, text } = await terminal.ended()
  assert.equal(status, 1)
  assert.match(text, /svc: the request was not approved in time: run svc login again\n$/)
})

test('no key is shown by signing in or afterwards, and the file that holds it is for its owner alone', async (t) => {
  const machine = Machine.of(t)
  const ana = await (await deployment.newOrg()).person('admin')
  const shown = await signIn(machine, ana)
  const [key = ''] = savedKeys(machine)
  assert.match(key, /^svc_live_/)
  const modes = [machine.credentials, dirname(machine.credentials)].map((path) => statSync(path).mode & 0o777)
  assert.deepEqual(modes, [0o600, 0o700])

  for (const args of [['whoami'], ['keys'], ['orgs'], ['doctor']]) {
    const { stdout, stderr } = await machine.run([...args, '--json'])
    assert.ok(!`${shown}${stdout}${stderr}`.includes(key), args.join(' '))
  }
  chmodSync(machine.credentials, 0o644)
  assert.equal((await machine.run(['whoami'])).status, 0)
  assert.equal(statSync(machine.credentials).mode & 0o777, 0o600)
})

test('a key on the command line is refused, and not repeated', async (t) => {
  const machine = Machine.of(t)
  const key = `svc_live_${'k'.repeat(43)}`
  const sentence =
    'svc: never put a secret on the command line, where others can read it: type it at the prompt, pipe it in, or set SVC_KEY\n'
  for (const args of [
    ['login', '--with-key', key],
    ['login', `--key=${key}`],
    ['whoami', key],
  ])
    assert.deepEqual(await machine.run(args), { status: 2, stdout: '', stderr: sentence })
})

test('a key is asked for without being shown, or read from standard input', async (t) => {
  const machine = Machine.of(t, { SVC_CONFIG: '' })
  const org = await deployment.newOrg()
  const { key } = await org.serverToken('sandbox')
  const terminal = machine.open(['login', '--gateway', url, '--with-key'])
  await terminal.shows('Key: ')
  terminal.type(`${key}x\u007f\r`)
  const { status, text } = await terminal.ended()
  assert.equal(status, 0, text)
  assert.ok(!text.includes(key.slice(0, 12)), text)
  assert.match(text, new RegExp(`You are ci in ${org.slug}, at ${url}\\.`))

  const other = Machine.of(t)
  assert.equal((await other.run(['login', '--gateway', url, '--with-key'], `${key}\n`)).status, 0)
  assert.deepEqual(savedKeys(other), [key])
})

test('a password is asked for without being shown, and signs in to the org named', async (t) => {
  const machine = Machine.of(t)
  const [first, second] = [await deployment.newOrg(), await deployment.newOrg()]
  const ana = await first.person('developer')
  await second.join(ana.email, 'qa')
  const terminal = machine.open(['login', '--gateway', url, '--email', ana.email, '--org', second.slug])
  await terminal.shows(`Password of ${ana.email}: `)
  terminal.type(`${password}\r`)
  const { status, text } = await terminal.ended()
  assert.equal(status, 0, text)
  assert.ok(!text.includes(password))
  assert.equal((await machine.json(['whoami'])).slug, second.slug)
})

test('Ctrl-C at a prompt or while waiting is 130, and keeps nothing', async (t) => {
  const machine = Machine.of(t)
  for (const [args, words] of [
    [['--with-key'], 'Key: '],
    [['--no-qr'], 'Waiting…'],
  ] as const) {
    const terminal = machine.open(['login', '--gateway', url, ...args])
    await terminal.shows(words)
    terminal.type('\u0003')
    assert.equal((await terminal.ended()).status, 130)
  }
  assert.throws(() => statSync(machine.credentials))
})

test('orgs are listed with a mark at the one commands act in; switching and --org act in another', async (t) => {
  const machine = Machine.of(t)
  const [first, second] = [await deployment.newOrg(), await deployment.newOrg()]
  const ana = await first.person('developer')
  await second.join(ana.email, 'qa')
  await signIn(machine, ana)

  const rows = (await machine.run(['orgs'])).stdout.trimEnd().split('\n')
  assert.deepEqual(
    rows.map((row) => row.split('\t').slice(0, 2)),
    [
      ['*', first.slug],
      ['', second.slug],
    ],
  )
  assert.equal((await machine.json(['whoami', '--org', second.slug])).slug, second.slug)
  assert.equal((await machine.json(['whoami'])).slug, first.slug)
  assert.match((await machine.run(['switch', second.slug])).stdout, new RegExp(`in ${second.slug}, at`))
  assert.equal((await machine.json(['whoami'])).slug, second.slug)
  const unknown = await machine.run(['switch', 'nowhere'])
  assert.equal(unknown.status, 1)

  await machine.run(['switch', first.slug])
  const { orgs } = JSON.parse(readFileSync(machine.credentials, 'utf8')).gateways[url]
  const { key, key_id } = orgs[second.slug]
  done(await anonymous.as(key).post(`/v1/keys/${key_id}/revoke`))
  const renewed = await machine.json(['whoami', '--org', second.slug])
  assert.equal(renewed.slug, second.slug, 'a key that died is made anew')
})

test('SVC_KEY and SVC_GATEWAY_URL win over what is saved, and --env names the environment', async (t) => {
  const machine = Machine.of(t)
  const ana = await (await deployment.newOrg()).person('admin', { production: true })
  await signIn(machine, ana)
  assert.equal((await machine.json(['whoami', '--env', 'production'])).env, 'production')
  assert.equal((await machine.json(['whoami'])).env, 'sandbox')
  const other = await deployment.newOrg()
  const { key } = await other.serverToken('production')
  const given = { SVC_KEY: key, SVC_GATEWAY_URL: url }
  assert.equal((await machine.json(['whoami'], given)).slug, other.slug)
  const both = await machine.run(['whoami', '--org', 'acme'], '', given)
  assert.deepEqual(
    [both.status, both.stderr],
    [2, 'svc: SVC_KEY belongs to one org: unset it, or leave out --org\n'],
  )
})

test('signing out ends the keys that were made here, of every org, and not a token that was given', async (t) => {
  const machine = Machine.of(t)
  const [first, second] = [await deployment.newOrg(), await deployment.newOrg()]
  const ana = await first.person('developer')
  await second.join(ana.email, 'qa')
  await signIn(machine, ana)
  await machine.run(['switch', second.slug])
  const keys = savedKeys(machine)
  assert.equal(keys.length, 2)
  const out = await machine.run(['logout'])
  assert.deepEqual([out.status, out.stderr], [0, `You are signed out at ${url}.\n`])
  for (const key of keys) assert.equal((await anonymous.as(key).get('/v1/whoami')).status, 401)
  assert.deepEqual(savedKeys(machine), [])
  const never = await machine.run(['logout', '--gateway', url, '--org', 'nowhere'])
  assert.deepEqual([never.status, never.stderr], [0, `You were not signed in at ${url} in nowhere.\n`])

  const { key, client } = await first.serverToken('sandbox')
  await machine.run(['login', '--gateway', url, '--with-key'], key)
  assert.equal((await machine.run(['logout', '--gateway', url])).status, 0)
  assert.equal((await client.get('/v1/whoami')).status, 200)
})

test('without a key it is 3, without a gateway 4, and with a broken file it says which', async (t) => {
  const machine = Machine.of(t)
  const signedOut = await machine.run(['whoami', '--gateway', url])
  assert.deepEqual(
    [signedOut.status, signedOut.stderr],
    [3, `svc: you are not signed in at ${url}: run svc login\n`],
  )
  const gone = await machine.run(['whoami', '--gateway', 'http://127.0.0.1:1'], '', { SVC_KEY: 'x' })
  assert.equal(gone.status, 4)
  assert.match(
    gone.stderr,
    /^svc: the gateway at http:\/\/127\.0\.0\.1:1 cannot be reached \(.+\): check its address and that it is running\n$/,
  )
  const page = createServer((_, response) => response.end('<!doctype html>'))
  await once(page.listen(0, '127.0.0.1'), 'listening')
  t.after(() => page.close().closeAllConnections())
  const elsewhere = `http://127.0.0.1:${(page.address() as AddressInfo).port}`
  const other = await machine.run(['whoami', '--gateway', elsewhere], '', { SVC_KEY: 'x' })
  const sentence = `svc: ${elsewhere} answered 200, but is not a gateway: check the address\n`
  assert.deepEqual([other.status, other.stdout, other.stderr], [1, '', sentence])
  await machine.run(
    ['login', '--gateway', url, '--with-key'],
    (await (await deployment.newOrg()).serverToken('sandbox')).key,
  )
  writeFileSync(machine.credentials, '{')
  const broken = await machine.run(['whoami'])
  assert.equal(broken.status, 3)
  assert.match(
    broken.stderr,
    /credentials\.json could not be read: it is not JSON; delete it and run svc login/,
  )
})

async function signIn(machine: Machine, person: TestPerson): Promise<string> {
  const terminal = machine.open(['login', '--gateway', url, '--no-qr'])
  const [, link = ''] = await terminal.shows(/(http\S+cli_[\w-]{22})/)
  done(await approve(link, person))
  const { status, text } = await terminal.ended()
  assert.equal(status, 0, text)
  return text
}

/** The modules of a QR code in the terminal, two rows per line. */
function readCode(raw: string): boolean[][] {
  const lines = [...raw.matchAll(/\[30;107m([ ▀▄█]+)/g)].map(([, line = '']) => line.split(''))
  return lines.flatMap((line) => [
    line.map((half) => half === '▀' || half === '█'),
    line.map((half) => half === '▄' || half === '█'),
  ])
}

function codeOf(text: string): boolean[][] {
  const code = makeCode(0, 'L')
  code.addData(text)
  code.make()
  const size = code.getModuleCount()
  const rows = Array.from({ length: size + 4 + ((size + 4) % 2) }, (_, row) => row - 2)
  const columns = Array.from({ length: size + 4 }, (_, column) => column - 2)
  const isInside = (at: number) => at >= 0 && at < size
  return rows.map((row) =>
    columns.map((column) => isInside(row) && isInside(column) && code.isDark(row, column)),
  )
}

test('with --json a failure is one line of JSON with the code, the sentence and the status, and the same exit status', async (t) => {
  const { key } = await (await deployment.newOrg()).serverToken('sandbox', { scopes: ['talk'] })
  const machine = Machine.of(t, { SVC_GATEWAY_URL: deployment.url, SVC_KEY: key })
  const failure = async (args: string[], more: Record<string, string> = {}) => {
    const { status, stdout, stderr } = await machine.run([...args, '--json'], '', more)
    assert.deepEqual([stdout, stderr.split('\n').length], ['', 2])
    return [status, JSON.parse(stderr)] as const
  }
  const [, { detail }] = await failure(['numbers'])
  assert.match(detail, /^this key does not open numbers/)
  assert.deepEqual(await failure(['numbers']), [1, { code: 'MISSING_SCOPE', detail, status: 403 }])
  const [status, refused] = await failure(['whoami'], { SVC_KEY: 'svc_live_wrong' })
  assert.deepEqual([status, refused.code, refused.status], [3, 'INVALID_KEY', 401])
  const offline = { SVC_GATEWAY_URL: 'http://127.0.0.1:1' }
  const [unreachable, { code, status: none }] = await failure(['whoami'], offline)
  assert.deepEqual([unreachable, code, none], [4, 'UNREACHABLE', null])
  const [usage, wrong] = await failure(['whoami', '--nonsense'])
  assert.deepEqual([usage, wrong.code, wrong.status], [2, 'USAGE', null])
  const { stderr } = await machine.run(['numbers'])
  assert.equal(stderr, `svc: ${detail}\n`)
})
