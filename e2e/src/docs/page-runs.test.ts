import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { temporaryFolder } from '@switchroom/launcher/testing/folders'
import { Launch, root } from '../launch.ts'
import { freePort } from '@switchroom/launcher/testing/free-port'
import { RunningProgram } from '../running-program.ts'
import { commandsOf } from './page-commands.ts'

// The deployment of `npm start`, and a person who has opened the link that it printed.
const home = temporaryFolder({ after })
const data = join(home, 'data')
const voicePort = String(await freePort())
const started = new Launch(await freePort(), { data, settings: { SVC_VOICE_PORT: voicePort } })
after(() => started.stop())
await started.untilReady()
const { address } = started
const voice = `http://127.0.0.1:${voicePort}`
const [link = ''] = started.links
const accepted = await fetch(link.replace('/invitations/', '/v1/invitations/'), {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ password: 'a long enough password' }),
})
const { key } = (await accepted.json()) as { key: string }
const script = (name: string) =>
  (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> })
    .scripts[name]

/** A command as this reader runs it: at their deployment, with their key, in their folder. */
const here = (command: string) =>
  command
    .replace(/^npm run chat\b/, script('chat') ?? '')
    .replaceAll(/\b(npx )?svc (?=\w)/g, `node ${join(root, 'cli/bin/svc.mjs')} `)
    .replaceAll('npx node', 'node')
    .replaceAll('http://127.0.0.1:8080', address)
    .replaceAll('http://127.0.0.1:8081', voice)
    .replaceAll(/(?<![\w/])data\//g, `${data}/`)
    .replaceAll('examples/hello/', `${root}/examples/hello/`)
    .replaceAll(/svc_live_…|svc_live_\.\.\./g, '$svc')

interface Ran {
  status: number | null
  printed: string
}

/** A request that the gateway refuses fails, as no command of a page may. */
const prelude = `set -eo pipefail; curl() { command curl -sS --fail-with-body "$@"; }\n`
const path = [dirname(process.execPath), process.env['PATH']].join(delimiter)
const settings = {
  PATH: path,
  HOME: home,
  SVC_CONFIG: join(home, 'credentials.json'),
  svc: key,
  url: address,
}

function run(command: string, input = '', more: Record<string, string> = {}): Promise<Ran> {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(SVC_|NODE_TEST_|NODE_OPTIONS)/.test(name),
  )
  const child = spawn('bash', ['-c', prelude + here(command)], {
    cwd: home,
    env: { ...Object.fromEntries(inherited), ...settings, ...more },
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (printed += String(piece)))
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  return new Promise((resolve) => child.once('close', (status) => resolve({ status, printed })))
}

async function succeeds(command: string, input = '', more: Record<string, string> = {}): Promise<string> {
  const { status, printed } = await run(command, input, more)
  assert.equal(status, 0, `${command}\n${printed}`)
  return printed
}

/** As the person who sees the link that it prints. */
async function signIn(command: string): Promise<void> {
  await using login = new RunningProgram('bash', ['-c', here(command)], { cwd: home, settings })
  await login.prints(/http\S+\/cli\?c=cli_[\w-]{22}/)
  const word = /c=(cli_[\w-]{22})/.exec(login.printed)?.[1]
  const approved = await fetch(`${address}/v1/login/pairings/${word}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: '{}',
  })
  assert.ok(approved.ok, await approved.text())
  assert.equal(await login.ended(), 0, login.printed)
}

/** The newest call, for the pages' placeholders of one. */
async function newestCall(): Promise<string> {
  const answer = await fetch(`${address}/v1/sessions`, { headers: { authorization: `Bearer ${key}` } })
  const { sessions } = (await answer.json()) as { sessions: { call: string }[] }
  return sessions[0]?.call ?? ''
}

test('every command of README.md runs, in its order', async () => {
  const [first, tests, ...rest] = commandsOf('README.md')
  assert.deepEqual([first, tests], ['npm start', 'npm test']) // this deployment, and this run
  const ran: string[] = []
  for (const command of rest) {
    ran.push(command)
    if (command.includes('svc login')) await signIn(command)
    else if (command.includes('svc tail')) await succeeds(command.replace('<call>', await newestCall()))
    else if (command.endsWith('chat hello'))
      assert.match(await succeeds(command, 'what time is it\n'), /hello: /)
    else if (command.startsWith('key=')) {
      const both = rest.filter((each) => each.includes('/v1/ops/'))
      const answer = await succeeds([command, ...both].join('\n'))
      assert.match(answer, /"slug":"acme".*"email":"ana@example\.com"/s)
    } else if (command.includes('/v1/ops/')) continue // ran with the key above
    else await succeeds(command)
  }
  assert.ok(ran.length >= 8, ran.join('\n'))
  assert.equal(readFileSync(join(home, 'hello.wav')).subarray(0, 4).toString(), 'RIFF')
})

test("README.md's agent of ten lines is held and written to, as the page says", async () => {
  const page = readFileSync(join(root, 'README.md'), 'utf8')
  const [, program = ''] = /```js\n(.*?)```/s.exec(page) ?? []
  const [, hold = ''] = /`(npx node --env-file=data\/example\.env desk\.js)`/.exec(page) ?? []
  const [, write = ''] = /`(npm run chat desk)`/.exec(page) ?? []
  assert.ok(program && hold && write)
  // it is saved in the checkout, where its SDK is found
  const asSaved = here(hold).replace('desk.js', '--input-type=module -e "$PROGRAM"')
  await using agent = new RunningProgram('bash', ['-c', asSaved], {
    cwd: join(root, 'e2e'),
    settings: { ...settings, PROGRAM: program },
  })
  let answer = ''
  for (let tries = 0; tries < 60 && !/desk: /.test(answer); tries += 1)
    answer = (await run(write, 'menu\n')).printed
  assert.match(answer, /desk: /, agent.printed)
})

test('every command of docs/cli.md runs, in its order', async () => {
  writeFileSync(join(home, 'hello.json'), '{"language": "en"}')
  for (const command of commandsOf('docs/cli.md')) {
    if (/^npm (install|test|start)$/.test(command)) continue // e2e/src/packages does it, with a packed SDK
    if (/completion (zsh|fish)/.test(command))
      await succeeds(command.replace(/source <\((.*)\)|\| source/, '$1'))
    else if (/svc login(?! http)/.test(command)) await signIn(`${command} ${address}`)
    else if (command.includes('svc login')) await signIn(command)
    else if (command.includes('svc tail')) await succeeds(command.replace('call_0123…', await newestCall()))
    else if (command.includes('svc chat')) assert.match(await succeeds(command, 'hello\n'), /hello: /)
    else await succeeds(command)
  }
})

test('every command of docs/speech.md runs, in its order', async () => {
  for (const command of commandsOf('docs/speech.md')) await succeeds(command)
})

/** Sentences about the request itself, where a new org is only refused for what it does not have yet. */
const notUnderstood = /there is no door|takes (GET|POST|PUT|PATCH|DELETE)|must be|is missing/

test('every request of docs/agents.md and docs/numbers.md is one that the gateway understands', async () => {
  const requests = ['docs/agents.md', 'docs/numbers.md'].flatMap((page) =>
    commandsOf(page)
      .filter((command) => command.startsWith('curl '))
      // other placeholders stay: they are refused before a carrier is asked
      .map((command) => ({ page, command: command.replaceAll('sk-…', 'sk-0123456789abcdef') })),
  )
  assert.ok(requests.length > 15, `${requests.length} requests`)
  const odd: string[] = []
  const taken: string[] = []
  for (const { page, command } of requests) {
    const asked = `command ${command} -sS -w '\\n%{http_code}'`
    const { printed } = await run(asked, '', { SVC_URL: address, SVC_KEY: key })
    const [, answer = '', status = ''] = /^(.*)\n(\d{3})$/s.exec(printed) ?? []
    if (status.startsWith('2')) taken.push(command)
    const isRefused = ['400', '403', '404', '409', '503'].includes(status) && !notUnderstood.test(answer)
    if (!status.startsWith('2') && !isRefused) odd.push(`${page}: ${command}\n  ${status} ${answer}`)
  }
  assert.deepEqual(odd, [])
  assert.ok(taken.length >= 4, taken.join('\n'))
})
