import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startVoiceDeployment } from '@switchroom/speech/testing/voice-deployment'
import { npmTools, pythonTools, runNode, runProgram } from './api-tools.ts'

const npm = await npmTools()
const python = await pythonTools()
const voice = await startVoiceDeployment()
const { deployment } = voice
const folder = mkdtempSync(join(tmpdir(), 'api-clients-'))
after(async () => {
  rmSync(folder, { recursive: true, force: true })
  await voice[Symbol.asyncDispose]()
})

const org = await deployment.newOrg()
const { key } = await org.person('admin')
const caller = { SVC_URL: deployment.url, SVC_VOICE_URL: voice.url, SVC_KEY: key }
const tool = (name: string) => join(npm.folder, 'node_modules', name)
const compiler = fileURLToPath(new URL('../../../node_modules/.bin/tsc', import.meta.url))

const documents = {
  gateway: `${deployment.url}/openapi.json`,
  workers: `${deployment.url}/openapi-workers.json`,
  voice: `${voice.url}/openapi.json`,
}
const fileOf = (name: string) => join(folder, `${name}.json`)
for (const [name, address] of Object.entries(documents))
  writeFileSync(fileOf(name), await (await fetch(address)).text())

const page = readFileSync(new URL('../../../docs/api.md', import.meta.url), 'utf8')
const configInPage = /```yaml\n(.+?)```/s.exec(page)?.[1] ?? ''
/** What the page writes after the name of a program, with this gateway's address. */
function argumentsInPage(program: string): string[] {
  const line = page.split('\n').find((one) => one.includes(`${program} `) && one.includes('https://'))
  assert.ok(line, `the page has no command of ${program}`)
  const written = line.slice(line.indexOf(program) + program.length).trim()
  return written.replace('https://switchroom.example.com', deployment.url).split(' ')
}

/** A program in a folder of its own that finds the installed packages, as a project of a user has it. */
function project(name: string, files: Record<string, string>): string {
  const at = join(folder, name)
  mkdirSync(at)
  symlinkSync(tool(''), join(at, 'node_modules'))
  const compilerOptions = {
    target: 'es2022',
    module: 'nodenext',
    strict: true,
    outDir: 'built',
    rootDir: '.',
    types: [],
    lib: ['es2023', 'dom', 'dom.iterable'],
  }
  const all = {
    'package.json': '{"type": "module"}',
    'tsconfig.json': JSON.stringify({ compilerOptions, include: ['*.ts', 'switchroom'] }),
    'environment.d.ts': 'declare const process: { env: Record<string, string> }',
    ...files,
  }
  for (const [path, text] of Object.entries(all)) writeFileSync(join(at, path), text)
  return at
}

const compile = (at: string) => runProgram(compiler, ['-p', at], at)

const noCurl = spawnSync('curl', ['--version']).status === 0 ? false : 'needs curl'

test('the first request of the page about the API works as it is written', { skip: noCurl }, async () => {
  const [, command = ''] = /```\n(curl .+)\n```/.exec(page) ?? []
  const asked = command.replace('https://switchroom.example.com', deployment.url)
  const { stdout } = await runProgram('sh', ['-c', asked], folder, caller)
  assert.equal(JSON.parse(stdout).slug, org.slug)
})

test('redocly finds nothing to say about the three descriptions', { skip: npm.missing }, async () => {
  const config = fileURLToPath(new URL('redocly.yaml', import.meta.url))
  const files = Object.keys(documents).map(fileOf)
  const { stdout } = await runNode(
    [tool('@redocly/cli/bin/cli.js'), 'lint', '--config', config, '--format', 'json', ...files],
    folder,
    { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  )
  const reports: { totals: object; problems: object[] }[] = JSON.parse(
    `[${stdout.replaceAll(/^\}\s*\{$/gm, '},{')}]`, // one after another, of each file
  )
  assert.deepEqual(
    reports.map(({ totals }) => totals),
    files.map(() => ({ errors: 0, warnings: 0, ignored: 0 })),
    JSON.stringify(reports, null, 1).slice(0, 5000),
  )
})

test(
  'openapi-typescript makes types of the three descriptions, with which strict programs ask a gateway',
  { skip: npm.missing },
  async () => {
    const at = project('openapi-typescript', {
      'program.ts': `import createClient from 'openapi-fetch'
import type { components, paths } from './switchroom.js'
import type { paths as ofWorkers } from './workers.js'
import type { paths as ofVoice } from './voice.js'

const { SVC_URL: baseUrl, SVC_KEY, SVC_VOICE_URL } = process.env
const headers = { authorization: \`Bearer \${SVC_KEY}\` }
const client = createClient<paths>({ baseUrl, headers })
const config: components['schemas']['AgentConfig'] = { greeting: { say: 'Good morning.' }, max_duration_s: 60 }
const { data: set, error } = await client.PUT('/v1/agents/{agent}/settings', {
  params: { path: { agent: 'typed' }, header: { 'svc-env': 'sandbox' } },
  body: { config, if_version: 0 },
})
if (!set) throw new Error(error.detail)
const stale = await client.PUT('/v1/agents/{agent}/settings', {
  params: { path: { agent: 'typed' } },
  body: { config, if_version: 0 },
})
const { data: voices } = await createClient<ofVoice>({ baseUrl: SVC_VOICE_URL, headers }).GET('/v1/audio/voices')
const workers = createClient<ofWorkers>({ baseUrl, headers })
const { error: refused } = await workers.GET('/v1/worker/fences', { params: { query: { env: 'sandbox' } } })
console.log(JSON.stringify([set.yours?.config.greeting?.say, stale.error?.code, voices?.success, refused?.code]))
`,
    })
    const generator = tool('openapi-typescript/bin/cli.js')
    await runNode([generator, ...argumentsInPage('openapi-typescript')], at)
    for (const name of ['workers', 'voice'])
      await runNode([generator, fileOf(name), '-o', join(at, `${name}.ts`)], at)
    await compile(at)
    const { stdout: printed } = await runNode([join(at, 'built/program.js')], at, caller)
    assert.deepEqual(JSON.parse(printed), ['Good morning.', 'STALE_VERSION', true, 'FORBIDDEN'])
  },
)

test(
  '@hey-api/openapi-ts makes a client whose methods have the names of operations, and one of them works',
  { skip: npm.missing },
  async () => {
    const at = project('hey-api', {
      'program.ts': `import { createClient } from './switchroom/client/index.js'
import { inviteMember, listMembers, whoami } from './switchroom/sdk.gen.js'
import type { Member } from './switchroom/types.gen.js'

const client = createClient({ baseUrl: process.env['SVC_URL'], auth: process.env['SVC_KEY'] })
const { data: me } = await whoami({ client, headers: { 'svc-env': 'sandbox' } })
await inviteMember({ client, body: { email: 'ben@example.com', role: 'qa', agents: ['desk'] }, throwOnError: true })
const { data } = await listMembers({ client, throwOnError: true })
const invited: Member | undefined = data.members.find(({ email }) => email === 'ben@example.com')
const { error } = await inviteMember({ client, body: { email: 'ben@example.com', role: 'qa' } })
console.log(JSON.stringify([me?.slug, invited?.role, error?.code]))
`,
    })
    await runNode([tool('@hey-api/openapi-ts/bin/run.js'), ...argumentsInPage('@hey-api/openapi-ts')], at)
    await compile(at)
    const { stdout: printed } = await runNode([join(at, 'built/program.js')], at, caller)
    assert.deepEqual(JSON.parse(printed), [org.slug, 'qa', 'CONFLICT'])
  },
)

test(
  'openapi-python-client makes a client that compiles, and a method of it works',
  { skip: python.missing },
  async () => {
    const at = join(folder, 'python')
    mkdirSync(at)
    const program = (name: string) => join(python.folder, 'bin', name)
    const env = { PATH: `${join(python.folder, 'bin')}:${process.env['PATH'] ?? ''}` } // for the formatter that it calls
    writeFileSync(join(at, 'switchroom.yaml'), configInPage)
    const generator = program('openapi-python-client')
    const { stdout, stderr } = await runProgram(generator, argumentsInPage('openapi-python-client'), at, env)
    assert.doesNotMatch(stdout + stderr, /WARNING|ERROR/)
    await runProgram(program('python'), ['-m', 'compileall', '-q', at], at)
    writeFileSync(
      join(at, 'program.py'),
      `import json, os
from switchroom_client import AuthenticatedClient
from switchroom_client.api.agents import get_settings, set_settings
from switchroom_client.api.sign_in import whoami
from switchroom_client.models import AgentConfig, AgentConfigGreeting, Refused, SetSettings

client = AuthenticatedClient(base_url=os.environ["SVC_URL"], token=os.environ["SVC_KEY"])
me = whoami.sync(client=client)
config = AgentConfig(greeting=AgentConfigGreeting(say="Good morning."), max_duration_s=60)
body = SetSettings(config=config, if_version=0)
view = set_settings.sync("pythonic", client=client, body=body)
stale = set_settings.sync("pythonic", client=client, body=body)
assert isinstance(stale, Refused)
again = get_settings.sync("pythonic", client=client)
print(json.dumps([me.slug, view.yours.config.greeting.say, again.yours.version, stale.code]))
`,
    )
    const packages = { PYTHONPATH: join(at, 'switchroom-client') }
    const { stdout: printed } = await runProgram(program('python'), ['program.py'], at, {
      ...caller,
      ...packages,
    })
    assert.deepEqual(JSON.parse(printed), [org.slug, 'Good morning.', 1, 'STALE_VERSION'])
  },
)
