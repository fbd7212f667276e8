import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { operatorKey, startDeployment } from '@switchroom/gateway/testing/deployment'
import { DialOrg, newCalled } from '@switchroom/gateway/testing/telephony/dial-fixture'
import { done } from '@switchroom/gateway/testing/agents/test-agents'
import { Machine } from '../../testing/terminal.ts'

const deployment = await startDeployment({ SVC_DOMAIN: 'switchroom.test' })
const org = await deployment.newOrg()
const ana = await org.person('admin', { production: true })
const machine = new Machine({ SVC_GATEWAY_URL: deployment.url, SVC_KEY: ana.key })
after(async () => {
  machine[Symbol.dispose]()
  await deployment[Symbol.asyncDispose]()
})
const run = (...args: string[]) => machine.run(args)

test('a person is invited, changed and removed, by address or id', async () => {
  const invited = await run('members', 'invite', 'bo@example.com', '--role', 'qa', '--agent', 'desk')
  assert.equal(invited.status, 0, invited.stderr)
  assert.match(invited.stdout, /^https:\/\/switchroom\.test\/invitations\/[\w-]{43}\n$/)
  assert.match(invited.stderr, /^Give this link to bo@example\.com\. It cannot be shown again\.\n/)
  const { role } = await machine.json([
    'members',
    'change',
    'bo@example.com',
    '--role',
    'developer',
    '--every-agent',
  ])
  assert.equal(role, 'developer')
  assert.match((await run('members')).stdout, /^bo@example\.com\tbo\tdeveloper\tinvited\tno\tall\tmem_/m)
  assert.equal((await run('members', 'remove', 'bo@example.com')).stdout, 'Removed bo@example.com.\n')
  const gone = await run('members', 'reset', 'bo@example.com')
  assert.deepEqual(
    [gone.status, gone.stderr],
    [1, 'svc: bo@example.com is not a member of this org: svc members lists them\n'],
  )
})

test('a server token is on standard output alone, once, and a listing never has it', async () => {
  const made = await run('keys', 'create', 'ci', '--scope', 'talk', '--scope', 'app')
  const key = made.stdout.trimEnd()
  assert.match(key, /^svc_test_[\w-]{43}$/)
  assert.ok(!made.stderr.includes(key))
  const identity = done(await deployment.anonymous.as(key).get('/v1/whoami'))
  assert.deepEqual([identity.label, identity.env, identity.scopes], ['ci', 'sandbox', ['app', 'talk']])
  const listed = await run('keys')
  assert.ok(!listed.stdout.includes(key))
  assert.match(listed.stdout, new RegExp(`^${identity.key_id}\\tci\\tserver\\tsandbox\\t`, 'm'))
  assert.equal((await run('keys', 'revoke', identity.key_id)).stdout, `Revoked ${identity.key_id}.\n`)
  assert.equal((await deployment.anonymous.as(key).get('/v1/whoami')).status, 401)
  assert.ok(!(await run('keys')).stdout.includes(identity.key_id))
  assert.equal((await run('keys', 'revoke', 'key_none')).status, 1)
})

test('a dial is explained guard by guard with what each saw, and 1 if it would be refused', async () => {
  const desk = await DialOrg.open(deployment)
  const { key } = await desk.org.serverToken('production', { scopes: ['talk', 'calls', 'numbers'] })
  const as = { SVC_KEY: key }
  const [stranger, known] = [newCalled(), await desk.knownNumber()]
  const refused = await machine.run(['dial', 'desk', stranger, '--explain'], '', as)
  assert.equal(refused.status, 1)
  const explained = done(
    await desk.client.get(`/v1/agents/desk/dial/explain?to=${encodeURIComponent(stranger)}`),
  )
  const rows = refused.stdout.trimEnd().split('\n')
  assert.deepEqual(
    rows.slice(0, -1).map((row) => row.split('\t').slice(0, 2)),
    explained.guards.map(({ guard, verdict }: Record<string, string>) => [guard, verdict]),
  )
  assert.match(refused.stdout, /^stranger\trefuse\tknown=false; dial_anywhere=false\t/m)
  assert.match(refused.stdout, new RegExp(`^from\\tpass\\tfrom=\\${desk.from}; \\${desk.from}\\t$`, 'm'))
  assert.equal(rows.at(-1), `This call would be refused: ${explained.detail}`)

  const terminal = machine.open(['dial', 'desk', known, '--explain'], as, 90)
  const { status, text } = await terminal.ended()
  assert.equal(status, 0, text)
  assert.match(text, /This call would be placed\./)
  assert.equal((await machine.json(['dials'], as)).dials.length, 0)
  const dialled = await machine.run(['dial', 'desk', stranger], '', as)
  assert.deepEqual([dialled.status, dialled.stderr], [1, `svc: ${explained.detail}\n`])
  assert.match((await machine.run(['dials'], '', as)).stdout, /\tdial\t\+34\d+\t.*refused: stranger\t/)
})

test('consents are recorded, read and taken back, and a list is imported', async () => {
  const number = newCalled()
  assert.equal((await run('consents', 'record', number)).stderr, 'svc: --source is missing\n')
  const recorded = await run('consents', 'record', number, '--kind', 'written', '--source', 'form')
  assert.match(recorded.stdout, new RegExp(`^\\${number}: consented\\n.+\\tconsent \\(written\\)\\tform\\t`))
  assert.match((await run('consents', 'opt-out', number)).stdout, /: opted_out\n/)
  assert.equal((await machine.json(['consents', 'get', number])).rows.length, 2)
  const imported = await machine.run(
    ['consents', 'import', '--file', '-', '--source', 'registry'],
    '+34600999111\n\n nonsense \n+34600999222\n',
  )
  assert.equal(imported.stdout, 'Added 2 numbers.\n')
  assert.equal(imported.stderr, 'Skipped nonsense: write it in international form, such as +34911234567.\n')
  assert.equal((await run('consents', 'dnc')).stdout.trimEnd().split('\n').length, 3)
})

test('svc carriers preset prints an account to fill in', async () => {
  const { stdout } = await run('carriers', 'preset', 'telnyx')
  assert.deepEqual(JSON.parse(stdout), {
    kind: 'sip',
    username: '',
    password: '',
    addresses: ['192.76.120.10', '64.16.250.10'],
    auth: 'ip',
    outbound_host: 'sip.telnyx.com',
    number_form: 'e164',
  })
  const { status, stderr } = await run('carriers', 'preset', 'pigeon')
  assert.equal(status, 1)
  assert.match(stderr, /there is no preset pigeon: name one of twilio, telnyx, vonage, plivo, asterisk/)
})

test('numbers, carriers, threads and agents are listed, and say what to do if there are none', async () => {
  const empty = async (...args: string[]) => {
    const { status, stdout, stderr } = await run(...args)
    assert.deepEqual([status, stdout], [0, ''], args.join(' '))
    return stderr
  }
  assert.equal(await empty('numbers'), 'There is no number: svc numbers import brings one in.\n')
  assert.equal(await empty('carriers'), 'No carrier accounts. Add one with svc carriers add.\n')
  assert.equal(await empty('agents'), 'No agents yet. Create one with svc init <folder>.\n')
  assert.equal(await empty('apps'), 'No connected apps.\n')
  const hooked = [
    'numbers',
    'import',
    '+34911000001',
    '--agent',
    'desk',
    '--hooked',
    '--network',
    '81.2.69.0/28',
  ]
  const dry = await run(...hooked, '--dry-run')
  assert.equal(dry.status, 0, dry.stderr)
  assert.equal(dry.stderr, 'Nothing was changed. Leave out --dry-run to do it.\n')
  assert.equal((await run(...hooked)).status, 0)
  assert.match((await run('numbers')).stdout, /^\+34911000001\tdesk\tphone\t\w+\thooked\t/)
  const path = await run('numbers', 'path', '+34911000001')
  assert.match(path.stdout, /^(ok|waiting|broken) +carrier: /)
  assert.match(path.stdout, / do: /)
  assert.equal((await run('numbers', 'release', '+34911000001')).status, 0)
  assert.equal((await run('numbers', 'path', '+34911000001')).status, 1)
  assert.match((await run('carriers', 'outbound')).stdout, /^Calls cannot be placed yet:\n- /)
  const threads = await run('threads', 'show', 'desk', '+34600000001')
  assert.equal(threads.status, 1)
})

test('the platform’s key is kept for svc ops alone, which makes orgs and lets people in', async (t) => {
  const own = Machine.of(t)
  const kept = await own.run(['login', '--gateway', deployment.url, '--operator'], `${operatorKey}\n`)
  assert.equal(kept.status, 0, kept.stderr)
  assert.ok(!`${kept.stdout}${kept.stderr}`.includes(operatorKey))
  const slug = `acme-${Date.now().toString(36)}`
  assert.match(
    (await own.run(['ops', 'orgs', 'create', slug, '--name', 'Acme'])).stdout,
    new RegExp(`^Created ${slug} `),
  )
  const invited = await own.run(['ops', 'orgs', 'invite', slug, 'cleo@example.com', '--role', 'admin'])
  assert.match(invited.stdout, /\/invitations\//)
  assert.equal((await own.json(['ops', 'orgs', 'quotas', slug, 'seats=3'])).quotas.seats, 3)
  assert.equal((await own.json(['ops', 'orgs', 'show', slug])).quotas.seats, 3)
  const capped = await own.json(['ops', 'orgs', 'quotas', slug, 'chats=7', 'entries='])
  assert.deepEqual([capped.caps.chats, capped.caps.entries, capped.quotas.seats], [7, null, 3])
  const rotated = await own.json(['ops', 'vault', 'rotate'])
  assert.deepEqual(
    [rotated.key, rotated.left],
    [(await own.json(['ops', 'vault'])).key, rotated.unreadable.length],
  )
  const token = (await own.run(['ops', 'orgs', 'key', slug, 'ci', '--scope', 'numbers'])).stdout.trimEnd()
  assert.deepEqual(done(await deployment.anonymous.as(token).get('/v1/whoami')).scopes, ['numbers'])
  assert.equal((await own.json(['ops', 'orgs', 'dialling', slug, '--per-day', '7'])).per_day, 7)
  assert.equal((await own.json(['ops', 'brand', '--name', 'Casa'])).name, 'Casa')
  for (const listing of ['whoami', 'orgs', 'networks', 'numbers', 'firewall', 'brand', 'providers'])
    assert.equal((await own.run(['ops', listing])).status, 0, listing)
  const wrong = await own.run(['ops', 'orgs', 'quotas', slug, 'chairs=3'])
  assert.match(wrong.stderr, /^svc: chairs=3 is not a quota: write it as seats=10, with one of minutes, /)
  const notOperator = await own.run(['members'])
  assert.equal(notOperator.status, 3)
})

test('the audit log is read in the org and on the whole deployment, filtered and page by page', async (t) => {
  const own = await deployment.newOrg()
  const admin = await own.person('admin')
  const theirs = Machine.of(t, { SVC_GATEWAY_URL: deployment.url, SVC_KEY: admin.key })
  await theirs.run(['members', 'invite', 'dora@example.com', '--role', 'qa'])
  await theirs.run(['members', 'change', 'dora@example.com', '--role', 'manager'])
  const { stdout } = await theirs.run(['audit', '--actor', admin.email, '--target', 'dora@example.com'])
  const [changed, invited] = stdout.split('\n').map((line) => line.split('\t'))
  assert.deepEqual(changed?.slice(1, 6), [
    own.slug,
    'member.changed',
    'dora@example.com',
    admin.email,
    '127.0.0.1',
  ])
  assert.equal(changed?.[6], 'role="qa" → "manager"')
  assert.equal(invited?.[2], 'member.invited')
  const first = await theirs.json(['audit', '--limit', '1'])
  const second = await theirs.json(['audit', '--limit', '1', '--after', first.next])
  assert.deepEqual([first.entries[0].action, second.entries[0].action], ['member.changed', 'member.invited'])
  const wrong = await theirs.run(['audit', '--since', 'yesterday'])
  assert.deepEqual(
    [wrong.status, wrong.stderr],
    [1, 'svc: since: must be a time with an offset, such as 2026-01-31T09:00:00Z\n'],
  )
  const ops = Machine.of(t, { SVC_GATEWAY_URL: deployment.url, SVC_KEY: operatorKey })
  const all = await ops.run(['ops', 'audit', own.slug, '--action', 'org.created'])
  assert.equal(all.status, 0, all.stderr)
  assert.match(all.stdout, new RegExp(`\t${own.slug}\torg\\.created\t${own.slug}\toperator\t127`))
})
