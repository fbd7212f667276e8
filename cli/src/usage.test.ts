import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Machine } from '../testing/terminal.ts'
import { commands, groups } from './command-table.ts'
import { completionFor } from './completion.ts'
import { exitCodeMeanings } from './terminal/exit-codes.ts'

const binary = fileURLToPath(new URL('../bin/svc.mjs', import.meta.url))
const machine = new Machine()
after(() => machine[Symbol.dispose]())

test('svc alone shows every command and is wrong usage; with --help it is what was asked for', async () => {
  const alone = await machine.run([])
  assert.deepEqual([alone.status, alone.stdout], [2, ''])
  const asked = await machine.run(['--help'])
  assert.deepEqual([asked.status, asked.stdout], [0, alone.stderr])
  for (const { name } of commands) assert.match(asked.stdout, new RegExp(`^  ${name.split(' ')[0]} `, 'm'))
  for (const code of [0, 1, 2, 3, 4, 130]) assert.match(asked.stdout, new RegExp(`^  ${code} +\\w`, 'm'))
})

test('every command has help with its usage, its options and an example that parses', async () => {
  const names = new Set(commands.map(({ name }) => name))
  assert.equal(names.size, commands.length)
  for (const { name, summary, examples } of commands) {
    assert.ok(examples.length > 0 && summary !== '', name)
    for (const example of examples) assert.match(example, new RegExp(`svc (--\\S+ )*${name}\\b`))
  }
  for (const asking of [
    ['help', 'settings', 'set'],
    ['settings', 'set', '--help'],
    ['settings', 'set', 'x', '-h'],
  ]) {
    const { status, stdout } = await machine.run(asking)
    assert.equal(status, 0)
    assert.match(stdout, /Usage: svc settings set <agent> \[knob=value…\] \[options\]/)
    assert.match(stdout, /--team {2,}the team's scope/)
    assert.match(stdout, /Examples:\n {2}svc settings set hello greeting\.say=/)
    assert.match(stdout, /Exit status:/)
  }
})

test('svc starts without the schemas of the contract, which would double its start', () => {
  const names = `import { registerHooks } from 'node:module'
registerHooks({ resolve: (name, context, next) => (console.error(name), next(name, context)) })`
  const { stderr } = spawnSync(process.execPath, [binary, '--help'], {
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(names)}` },
  })
  assert.match(stderr, /command-table/)
  assert.doesNotMatch(stderr, /typebox/)
})

test('docs/cli.md names every command and every exit status', () => {
  const page = readFileSync(new URL('../../docs/cli.md', import.meta.url), 'utf8')
  const missing = commands.filter(({ name }) => !page.includes(`\`svc ${name}`))
  assert.deepEqual(
    missing.map(({ name }) => name),
    [],
  )
  for (const [code] of exitCodeMeanings) assert.match(page, new RegExp(`^\\| ${code} \\|`, 'm'))
})

test('a line that makes no sense is 2 with a sentence that says why', async () => {
  const cases: [args: string[], sentence: string][] = [
    [['cals'], 'unknown command cals: did you mean svc calls?'],
    [['settings', 'gte', 'x'], 'unknown command settings gte: did you mean svc settings get?'],
    [['frobnicate'], 'unknown command frobnicate: svc help lists the commands'],
    [['tail', 'a', 'b'], 'unexpected argument b'],
    [['chat'], '<agent> is missing'],
    [['whoami', '--env', 'staging'], '--env must be one of sandbox, production (got staging)'],
    [['whoami', '--nope'], "unknown option '--nope'"],
    [['calls', '--state', 'asleep'], '--state must be one of open, held, ended (got asleep)'],
    [
      ['whoami', '--gateway', 'ftp://x'],
      'ftp://x is not a gateway address: it must start with http:// or https://',
    ],
    [['tail', 'call_1', '--agent', 'x'], 'give either a call or --agent, not both'],
    [['completion', 'tcsh'], 'unknown shell tcsh: use bash, zsh, fish'],
    [
      ['dial', 'desk', '+34911234567', '--consent', 'express'],
      '--consent and --source must be given together',
    ],
    [['speak', 'x', '--speed', 'fast', '--out', 'x.wav'], '--speed must be a number'],
    [['worker'], 'SVC_GATEWAY_URL and SVC_FLEET_KEY are not set: a worker needs both'],
    [['ops', 'retention'], 'purged data cannot be restored: confirm with --yes'],
  ]
  for (const [args, sentence] of cases) {
    const { status, stdout, stderr } = await machine.run(args)
    assert.deepEqual([status, stdout, stderr], [2, '', `svc: ${sentence}\n`], args.join(' '))
  }
  const group = await machine.run(['threads'])
  assert.equal(group.status, 2)
  assert.match(group.stderr, /svc threads list <agent>/)
})

test('an older Node hands over to the one of the checkout', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'switchroom-cli-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  // Says that it is older than it is, before the program is read.
  const preload = join(folder, 'older.mjs')
  writeFileSync(
    preload,
    `if (process.execArgv.length > 0) Object.defineProperty(process, 'versions', { value: { node: '20.1.0' } })`,
  )
  const { status, stdout } = spawnSync(process.execPath, ['--import', preload, binary, 'version', '--json'], {
    env: { ...machine.environment, SVC_GATEWAY_URL: 'http://127.0.0.1:1' },
    encoding: 'utf8',
  })
  assert.equal(status, 0)
  assert.match(JSON.parse(stdout).node, /^2[4-9]\./)
})

test('a reader that goes away ends the program quietly, and a full disk with a sentence', () => {
  const line = `"${process.execPath}" "${binary}" completion bash | head -1; echo "\${PIPESTATUS[0]}"`
  const { stdout, stderr } = spawnSync('bash', ['-c', line], { encoding: 'utf8', env: machine.environment })
  assert.deepEqual([stdout.trim().split('\n').at(-1), stderr], ['0', ''])
  const both = spawnSync(
    'bash',
    ['-c', `"${process.execPath}" "${binary}" 2>&1 | true; echo "\${PIPESTATUS[0]}"`],
    {
      encoding: 'utf8',
      env: machine.environment,
    },
  )
  assert.deepEqual([both.stdout, both.stderr], ['2\n', ''])
  const full = spawnSync('bash', ['-c', `"${process.execPath}" "${binary}" completion bash > /dev/full`], {
    encoding: 'utf8',
    env: machine.environment,
  })
  assert.equal(full.status, 1)
  assert.match(full.stderr, /^svc: the output could not be written: .+\n$/)
})

/** What bash offers after these words, by the script that svc prints. */
function offered(...words: string[]): string[] {
  const script = `${completionFor('bash', commands, groups)}
COMP_WORDS=(svc ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _svc; printf '%s\\n' "\${COMPREPLY[@]}"`
  return spawnSync('bash', ['-c', script], { encoding: 'utf8' }).stdout.trim().split('\n')
}

test('bash completes commands, their options and the values that options may have', () => {
  assert.deepEqual(offered('set'), ['settings'])
  assert.deepEqual(offered('settings', 'r'), ['rollback'])
  assert.deepEqual(offered('--json', 'ops', 'orgs', 'cr'), ['create'])
  assert.deepEqual(offered('callbacks', '--a'), ['--agent', '--after'])
  assert.deepEqual(offered('whoami', '--env', ''), ['sandbox', 'production'])
  assert.deepEqual(offered('calls', '--state', 'h'), ['held'])
})

test('zsh and fish get a script that names every command', async () => {
  for (const shell of ['zsh', 'fish']) {
    const { status, stdout } = await machine.run(['completion', shell])
    assert.equal(status, 0)
    for (const { name } of commands) assert.ok(stdout.includes(`' ${name}'`), `${name} in ${shell}`)
  }
})
