import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { build } from 'esbuild'
import { ChatClient } from '@switchroom/gateway/testing/calls/chat-client'
import { startChatDeployment } from '@switchroom/gateway/testing/calls/chat-deployment'
import { operatorKey } from '@switchroom/gateway/testing/deployment'
import { temporaryFolder } from '@switchroom/launcher/testing/folders'
import { packPackages, type Tarball } from '@switchroom/tools/packages/tarballs'
import { root } from '../launch.ts'
import { ranIn, RunningProgram } from '../running-program.ts'
import {
  commonProgram,
  compilerOptions,
  moduleProgram,
  shapesProgram,
  typedCommon,
  typedModule,
} from './agent-programs.ts'
import { manifestIn, publintFindings, textsOf, typeFindings } from './package-checks.ts'
import { environment, NoRegistry, npmInstall, olderNode } from './npm-installs.ts'

const work = temporaryFolder({ after }, process.env['TEST_DISK'])
const tarballs = await packPackages(join(work, 'packed'))
const packed = (folder: Tarball['folder']) => {
  const found = tarballs.find((each) => each.folder === folder)
  assert.ok(found)
  return found
}
const project = join(work, 'desk')
const skip = await install()

const chats = await startChatDeployment()
after(() => chats[Symbol.asyncDispose]())
const { url } = chats.deployment
chats.model.reply = ({ messages }) => {
  const { role, content } = messages.at(-1) ?? { role: '', content: '' }
  if (role === 'tool') return `${content}!`
  return { calls: [{ name: 'shout', arguments: { text: content } }] }
}

/** One install for every test: a project of `svc init` with the other tarballs beside. Says why it cannot be. */
async function install(): Promise<string | false> {
  try {
    const made = await svcOf(join(work, 'packed', 'cli', 'bin', 'svc.mjs'), olderNode(20), work, [
      'init',
      'desk',
      '--no-key',
      '--sdk',
      packed('sdk').file,
    ])
    assert.equal(made.status, 0, made.stderr)
    npmInstall(project, '--no-save', packed('contract').file, packed('cli').file)
    return false
  } catch (error) {
    if (error instanceof NoRegistry) return `needs packages from npm: ${error.message}`
    throw error
  }
}

/** The gateway is in this process, so nothing here may wait for a program without letting it answer. */
async function svcOf(file: string, node: string, cwd: string, args: string[], input = '', settings = {}) {
  return ranIn(cwd, { ...environment(node), HOME: work, ...settings }, node, [file, ...args], input)
}

const nodes = (): [name: string, path: string][] => [
  ['20', olderNode(20)],
  ['22', olderNode(22)],
  ['24', process.execPath],
]

function write(file: string, text: string): string {
  mkdirSync(join(project, file, '..'), { recursive: true })
  writeFileSync(join(project, file), text)
  return file
}

function compile(config: string, options: object, files: string[]): void {
  const settings = { compilerOptions: { ...compilerOptions, types: ['node'], ...options }, files }
  const file = write(config, JSON.stringify(settings))
  const tsc = join(project, 'node_modules', 'typescript', 'bin', 'tsc')
  const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', file], {
    cwd: project,
    encoding: 'utf8',
  })
  assert.deepEqual([status, stdout], [0, ''], config)
}

const contractPaths = () =>
  Object.keys(manifestIn(packed('contract'))['exports'] as object).filter((path) => path !== './package.json')

/** Each of them holds an agent: what authors write, and what their compiler and their bundler make of it. */
async function programs(): Promise<string[]> {
  write('typed/package.json', '{"type":"module"}')
  const plain = [write('plain/agent.mjs', moduleProgram), write('plain/agent.cjs', commonProgram)]
  const typed = [write('typed/module.ts', typedModule), write('typed/common.cts', typedCommon)]
  typed.push(write('typed/shapes.ts', shapesProgram(contractPaths())))
  const files = typed.map((file) => join(project, file))
  // skipLibCheck is off: every declaration that the SDK brings is checked too
  compile('typed/nodenext.json', { module: 'nodenext', outDir: 'built', rootDir: '.' }, files)
  const bundler = { module: 'preserve', moduleResolution: 'bundler', noEmit: true }
  compile('typed/bundler.json', bundler, files.slice(0, 1))
  const shared = { absWorkingDir: project, bundle: true, platform: 'node', target: 'node20' } as const
  const entryPoints = ['plain/agent.mjs']
  const banner = {
    js: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)`,
  }
  await build({ ...shared, entryPoints, format: 'esm', banner, outfile: 'bundled/agent.mjs' })
  await build({ ...shared, entryPoints: ['plain/agent.cjs'], format: 'cjs', outfile: 'bundled/agent.cjs' })
  return [
    ...plain,
    'typed/built/module.js',
    'typed/built/common.cjs',
    'bundled/agent.mjs',
    'bundled/agent.cjs',
  ]
}

const built = skip === false ? await programs() : []

test(
  'an agent answers from an ES module, CommonJS, strict TypeScript and a bundle, on Node 20, 22 and 24',
  { skip },
  async () => {
    for (const [version, node] of nodes())
      await Promise.all(
        built.map(async (file, at) => {
          const name = `agent-${version}-${at}`
          const settings = { SVC_URL: url, SVC_KEY: chats.key, NODE_NO_WARNINGS: '' }
          await using agent = new RunningProgram(node, [file, name], { cwd: project, settings })
          await agent.prints(`${name} is there`)
          assert.equal(await answerOf(name, 'hello'), 'HELLO!', `${file} on Node ${version}`)
          assert.doesNotMatch(agent.printed, /warning/i)
          assert.equal(await agent.interrupt(), 0)
        }),
      )
  },
)

async function answerOf(agent: string, text: string): Promise<string> {
  const chat = await ChatClient.connect(url, chats.key, { agent })
  await chat.next('started')
  chat.say(text, randomUUID())
  await chat.next('heard')
  const { text: answer } = await chat.next('message')
  chat.socket.terminate()
  return answer
}

test(
  'both entries of the SDK are one program: an agent of one is held by the connection of the other',
  { skip },
  () => {
    const file = write(
      'plain/both.mjs',
      `import { createRequire } from 'node:module'
import * as module from '@switchroom/sdk'
const common = createRequire(import.meta.url)('@switchroom/sdk')
const different = Object.keys(common).filter((name) => common[name] !== module[name])
console.log(JSON.stringify({ different, names: Object.keys(module).sort() }))`,
    )
    const { stdout } = spawnSync(olderNode(20), [file], { cwd: project, encoding: 'utf8' })
    const { different, names } = JSON.parse(stdout) as { different: string[]; names: string[] }
    assert.deepEqual(different, [])
    const source = readFileSync(join(root, 'sdk/src/sdk.ts'), 'utf8')
    for (const name of names) assert.match(source, new RegExp(`\\b${name}\\b`))
    assert.ok(names.includes('Agent') && names.includes('Type'))
  },
)

test('the contract gives shapes and their types from each of its paths', { skip }, async () => {
  const ran = await ranIn(project, environment(), olderNode(20), ['typed/built/shapes.js'])
  assert.equal(ran.stdout, `type,call,agent desk ${contractPaths().length}\n`, ran.stderr)
})

test(
  'the installed svc signs in, chats, runs a load and says what it cannot, on Node 20',
  { skip },
  async () => {
    const node = olderNode(20)
    const svc = (args: string[], input = '', settings = {}) =>
      svcOf(join(project, 'node_modules/.bin/svc'), node, project, args, input, settings)
    const { version } = packed('cli')
    assert.deepEqual(JSON.parse((await svc(['version', '--json', '--gateway', url])).stdout), {
      svc: version,
      gateway: version,
      node: '20.18.3',
    })
    assert.equal((await svc(['login', url, '--with-key'], chats.key)).status, 0)
    const { slug } = await chats.newAgent()
    assert.equal((await svc(['settings', 'set', slug, 'temperature=0.4'])).status, 0)
    // a load of chats loads the program that calls over SIP too
    const patient = [
      '--own-delay',
      '1m',
      '--target',
      'p95=1m',
      '--target',
      'failures=100%',
      '--report',
      'json',
    ]
    const load = [
      'load',
      '--profile',
      'chats',
      '--at-once',
      '1',
      '--hold',
      '1s',
      '--gateway',
      url,
      ...patient,
    ]
    const loaded = await svc(load, '', { SVC_KEY: operatorKey })
    assert.equal((JSON.parse(loaded.stdout) as { profile: string }).profile, 'chats', loaded.stderr)
    const worker = await svc(['worker'], '', { SVC_GATEWAY_URL: url, SVC_FLEET_KEY: 'x' })
    assert.deepEqual(
      [worker.status, worker.stderr],
      [2, 'svc: this svc was installed without the worker: run it in a checkout, or the container image\n'],
    )
  },
)

test('a project of svc init passes its own test on Node 20, and its agent answers', { skip }, async () => {
  const node = olderNode(20)
  const npm = (folder: string, ...args: string[]) => ranIn(folder, environment(node), 'npm', args)
  for (const template of ['chat', 'outbound']) {
    const made = await svcOf(join(project, 'node_modules/.bin/svc'), node, project, [
      'init',
      template,
      '--template',
      template,
      '--no-key',
      '--sdk',
      packed('sdk').file,
    ])
    assert.equal(made.status, 0, made.stderr)
  }
  for (const folder of [project, join(project, 'chat'), join(project, 'outbound')]) {
    const tested = await npm(folder, 'test')
    assert.equal(tested.status, 0, `${tested.stdout}${tested.stderr}`)
    assert.match(tested.stdout, /^# pass [23]$/m)
  }
  writeFileSync(join(project, '.env'), `SVC_URL=${url}\nSVC_KEY=${chats.key}\n`)
  await using agent = new RunningProgram('npm', ['start'], { cwd: project, settings: environment(node) })
  await agent.prints('desk is there')
  chats.model.reply = ({ messages }) => `You said ${messages.at(-1)?.content}.`
  const chat = await ChatClient.connect(url, chats.key, { agent: 'desk' })
  assert.equal((await chat.next('message')).text, 'Hello, what can I do for you?')
  chat.say('rye', randomUUID())
  assert.equal((await chat.next('message')).text, 'You said rye.')
})

test('publint and @arethetypeswrong/cli find nothing in the tarballs', async () => {
  for (const tarball of tarballs) assert.deepEqual(await publintFindings(tarball), [], tarball.name)
  assert.equal(typeFindings(packed('sdk'), 'strict'), '')
  const shapes = ['call-frames', 'knobs', 'metrics/table', 'log']
  assert.equal(typeFindings(packed('contract'), 'esm-only', shapes), '')
})

test('a tarball holds built files with their licences, no test, no source and no path of this machine', () => {
  for (const tarball of tarballs) {
    const odd = tarball.files.filter((file) =>
      /\.test\.|testing\/|(?<!\.d)\.[cm]?ts$|tsconfig|\.map$/.test(file),
    )
    assert.deepEqual(
      odd.filter((file) => !/\.d\.c?ts$/.test(file)),
      [],
      tarball.name,
    )
    assert.ok(tarball.files.includes('LICENSE') && tarball.files.includes('README.md'), tarball.name)
    for (const [path, text] of textsOf(tarball)) {
      assert.ok(!text.includes(root) && !text.includes(work), `${path} names a folder of this machine`)
      if (/\.[cm]?js$/.test(path))
        assert.doesNotMatch(text, /Promise\.withResolvers|URL\.parse\(|@switchroom\/(audio|media)['"]/)
    }
    const { engines, repository, publishConfig, files, dependencies, ...rest } = manifestIn(tarball)
    assert.deepEqual([engines, publishConfig], [{ node: '>=20' }, { access: 'public', provenance: true }])
    assert.equal((repository as { directory: string }).directory, tarball.folder)
    assert.ok(Array.isArray(files) && !('private' in rest) && !('devDependencies' in rest))
    const own = Object.keys(dependencies as object).filter((name) => name.startsWith('@switchroom/'))
    // a page that uses both is to have one copy of the calls
    const needed = tarball.folder === 'react' ? ['@switchroom/browser'] : []
    assert.deepEqual(own, needed, `${tarball.name} needs a package that may not be there`)
  }
})
