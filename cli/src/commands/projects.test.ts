import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, test, type TestContext } from 'node:test'
import { startChatDeployment } from '@switchroom/gateway/testing/calls/chat-deployment'
import { developedWith } from '../project/project-files.ts'
import { checkout } from './checkout.ts'
import { Machine } from '../../testing/terminal.ts'

const chats = await startChatDeployment()
after(() => chats[Symbol.asyncDispose]())
const { url } = chats.deployment

test('init begins a project of each template that depends on this version, with a key that is never shown', async (t) => {
  const dev = await chats.org.person('developer')
  const machine = Machine.of(t, { SVC_GATEWAY_URL: url, SVC_KEY: dev.key })
  const made = await machine.run(['init', 'bakery'])
  assert.equal(made.status, 0, made.stderr)
  const folder = join(machine.home, 'bakery')
  const [, key = ''] = /^SVC_KEY=(svc_test_\S+)$/m.exec(readFileSync(join(folder, '.env'), 'utf8')) ?? []
  assert.notEqual(key, '')
  assert.ok(!`${made.stdout}${made.stderr}`.includes(key))
  assert.equal(statSync(join(folder, '.env')).mode & 0o777, 0o600)
  for (const file of ['.gitignore', '.dockerignore'])
    assert.match(readFileSync(join(folder, file), 'utf8'), /^\.env$/m)

  // a caller can talk over the greeting that was written for them
  assert.match(readFileSync(join(folder, 'agent.ts'), 'utf8'), /greeting: \{.*allow_interruptions: true/)

  const { version } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as { version: string }
  for (const [template, files] of [
    ['voice', []],
    ['chat', []],
    ['outbound', ['dial.ts']],
  ] as const) {
    const answer = await machine.json(['init', template, '--template', template, '--no-key'])
    const expected = ['package.json', 'tsconfig.json', 'agent.ts', 'agent.test.ts', 'main.ts', ...files]
    const rest = ['Dockerfile', '.dockerignore', 'README.md', '.gitignore', '.env']
    assert.deepEqual([answer.template, answer.files], [template, [...expected, ...rest]])
    const project = join(machine.home, template)
    const { dependencies } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'))
    assert.deepEqual(dependencies, { '@switchroom/sdk': `^${version}` })
    // what the image runs is what the build makes of main.ts
    assert.match(readFileSync(join(project, 'Dockerfile'), 'utf8'), /^CMD \["node", "dist\/main\.js"\]$/m)
  }
})

test('a new project is checked with the TypeScript and the Node types that the packages are built with', () => {
  const { devDependencies } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>
  }
  assert.equal(developedWith.typescript, devDependencies['typescript'])
  assert.equal(`npm:@types/node@${developedWith['@types/node']}`, devDependencies['@types/node-20'])
})

test('init writes into no folder that holds something, and makes no key without a sign-in', async (t) => {
  const machine = Machine.of(t, { SVC_GATEWAY_URL: url })
  mkdirSync(join(machine.home, 'full'))
  writeFileSync(join(machine.home, 'full', 'x'), '')
  const full = await machine.run(['init', 'full'])
  assert.deepEqual(
    [full.status, full.stderr],
    [2, `svc: ${join(machine.home, 'full')} is not empty: choose a new or empty folder\n`],
  )
  const odd = await machine.run(['init', 'my agent!'])
  assert.equal(odd.status, 2)
  for (const [args, sentence] of [
    [['--template', 'fax'], '--template must be one of voice, chat, outbound (got fax)'],
    [['--sdk', 'sdk.tgz'], 'sdk.tgz does not exist: make it with npm run pack in a checkout'],
  ] as const)
    assert.deepEqual(await machine.run(['init', 'new', ...args]), {
      status: 2,
      stdout: '',
      stderr: `svc: ${sentence}\n`,
    })
  const { key, agent } = await machine.json(['init', 'desk', '--name', 'front-desk'])
  assert.deepEqual([key, agent], [null, 'front-desk'])
  assert.equal(readFileSync(join(machine.home, 'desk', '.env'), 'utf8'), `SVC_URL=${url}\nSVC_KEY=\n`)
})

async function served(t: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => server.close().closeAllConnections())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('a check of the doctor that fails is reported as broken, and the other checks still run', async (t) => {
  const { key } = await chats.org.person('admin')
  // A proxy in front of the gateway answers one path by itself.
  const front = await served(t, ({ url: path = '', headers: { authorization = '' } }, response) => {
    if (path === '/v1/carrier/outbound') {
      response.writeHead(502).end('<h1>Bad gateway</h1>')
      return
    }
    void fetch(url + path, { headers: authorization === '' ? {} : { authorization } }).then(async (answer) =>
      response.writeHead(answer.status).end(await answer.text()),
    )
  })
  const machine = Machine.of(t, { SVC_GATEWAY_URL: front, SVC_KEY: key, SVC_VOICE_URL: 'http://127.0.0.1:1' })
  const { status, stdout, stderr } = await machine.run(['doctor'])
  assert.deepEqual([status, stderr], [1, ''])
  const sentence = `${front} answered 502, but is not a gateway: check the address.`
  assert.ok(stdout.includes(`FAIL  phone: ${sentence}\n`), stdout)
  assert.match(stdout, /^warn {2}voice server: /m)
})

test('the doctor looks at each thing that has to be right, says what to do, and ends as the first that is broken', async (t) => {
  const nowhere = { SVC_VOICE_URL: 'http://127.0.0.1:1' }
  const machine = Machine.of(t, { SVC_GATEWAY_URL: url, ...nowhere })
  const unsigned = await machine.run(['doctor'])
  assert.equal(unsigned.status, 3)
  assert.match(
    unsigned.stdout,
    /^FAIL {2}key: you are not signed in at .+: run svc login\n {6}Run svc login, or set SVC_KEY\.$/m,
  )

  const admin = await chats.org.person('admin')
  const { slug } = await chats.newAgent()
  const fine = await machine.run(['doctor'], '', { SVC_KEY: admin.key })
  assert.equal(fine.status, 0, fine.stdout)
  for (const line of [
    /^ok {4}node: Node 2\d\./m,
    new RegExp(`^ok {4}gateway: Switchroom [\\d.]+ answers at ${url}\\.$`, 'm'),
    /^ok {4}clock: /m,
    new RegExp(
      `^ok {4}key: You are A admin in ${chats.org.slug}, in the sandbox environment; the key does not expire\\.$`,
      'm',
    ),
    new RegExp(`^ok {4}agents: Online: .*${slug}`, 'm'),
    // the model of this deployment, which its vendor has named a day for
    new RegExp(
      `^warn {2}models: openai switch(?:es|ed) gpt-4\\.1-mini off on 2027-01-14\\. In use by .*${slug}.*\\.\\n {6}Choose another`,
      'm',
    ),
    /^warn {2}phone: No phone call can be placed\.\n {6}\S/m,
    /^warn {2}voice server: http:\/\/127\.0\.0\.1:1 cannot be reached \(.+\)\.\n {6}svc speak and svc transcribe need it/m,
  ])
    assert.match(fine.stdout, line)

  const moved = await served(t, (_, response) => response.end('{}'))
  await using told = await chats.deployment.another({ SVC_VOICE_URL: moved })
  const found = await machine.run(['doctor', '--gateway', told.url], '', {
    SVC_KEY: admin.key,
    SVC_VOICE_URL: '',
  })
  assert.match(found.stdout, new RegExp(`^ok {4}voice server: It answers at ${moved}\\.$`, 'm'))

  const soon = new Date(Date.now() + 3_600_000).toISOString()
  const { key } = await chats.org.serverToken('sandbox', { expires_at: soon })
  const { findings } = await machine.json(['doctor'], { SVC_KEY: key })
  const ending = findings.find(({ check }: { check: string }) => check === 'key')
  assert.deepEqual([ending.state, ending.fix], ['warning', 'Create another with svc keys create.'])
  const gone = await machine.run(['doctor', '--gateway', 'http://127.0.0.1:1'])
  assert.equal(gone.status, 4)
})

test('a worker is started on this machine with the settings it was given, and its status is ours', async (t) => {
  const machine = Machine.of(t, { SVC_GATEWAY_URL: 'not an address', SVC_FLEET_KEY: 'svc_fleet_x' })
  const { status, stderr } = await machine.run(['worker'])
  assert.equal(status, 2)
  assert.match(stderr, /SVC_GATEWAY_URL.*not an address/)
})
