// Runs before the npm scripts, on whatever Node the machine has: plain JavaScript that Node 20 understands.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { delimiter, dirname, join, sep } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { NpmRequests } from './npm-requests.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const pinnedNode = join(root, 'node_modules', '.bin', 'node')
const stamp = join('node_modules', '.switchroom-installed')
const oldestNode = 20
/** Commands that run the program need none of the packages that build and test it. */
const needsDev = !['prestart', 'prechat', 'pregateway', 'prespeech'].includes(
  process.env.npm_lifecycle_event ?? '',
)

if (!isInstalled()) {
  refuseOldNode()
  await lock()
  if (!isInstalled()) await install()
  process.exit()
}

function isInstalled() {
  const installed = wholePackages()
  return installed && (isStamped(needsDev) || matchesLockFile(installed)) && hasNode()
}

/** What an older Node says about the packages helps nobody. */
function refuseOldNode() {
  const { node } = process.versions
  if (Number.parseInt(node, 10) >= oldestNode) return
  process.stderr.write(
    `Switchroom needs Node ${oldestNode} or later, and this is ${node}: install a newer Node\n`,
  )
  process.exit(1)
}

/** What npm has installed; undefined if a part of it is missing. */
function wholePackages() {
  const installed = packagesIn('node_modules/.package-lock.json') // npm writes it when everything else is done
  const isWhole =
    installed && Object.keys(installed).every((path) => existsSync(join(root, path, 'package.json')))
  return isWhole ? installed : undefined
}

/** Whether this script installed what the manifests say now. */
function isStamped(withDev) {
  const stamped = read(stamp)
  return stamped === stampOf(true) || (!withDev && stamped === stampOf(false))
}

function stampOf(withDev) {
  return `${digestOfManifests()} ${withDev ? 'with' : 'without'} development packages\n`
}

/** Whether a person has installed by hand exactly what the lock file lists. */
function matchesLockFile(installed) {
  const wanted = Object.entries(packagesIn('package-lock.json') ?? {}).filter(([path]) =>
    path.includes('node_modules/'),
  )
  return (
    wanted.every(([path, entry]) => {
      const found = installed[path]
      if (!found) return entry.optional || ((entry.dev || entry.devOptional) && !needsDev)
      return found.version === entry.version && found.integrity === entry.integrity
    }) &&
    workspaces().every(
      (path) => dependenciesOf(installed[path]) === dependenciesOf(parse(`${path}/package.json`)),
    )
  )
}

function digestOfManifests() {
  const files = ['package-lock.json', 'package.json', ...workspaces().map((path) => `${path}/package.json`)]
  const digest = createHash('sha256')
  for (const file of files) digest.update(`${file}\n${read(file)}\n`)
  return digest.digest('hex')
}

function workspaces() {
  return (parse('package.json').workspaces ?? []).flatMap((path) =>
    path.endsWith('/*') ? foldersIn(path.slice(0, -2)) : path,
  )
}

function foldersIn(folder) {
  const entries = existsSync(join(root, folder)) ? readdirSync(join(root, folder)) : []
  return entries
    .map((name) => `${folder}/${name}`)
    .filter((path) => existsSync(join(root, path, 'package.json')))
}

function dependenciesOf({ dependencies, optionalDependencies, devDependencies } = {}) {
  return JSON.stringify([dependencies, optionalDependencies, devDependencies])
}

function packagesIn(file) {
  return parse(file).packages
}

function parse(file) {
  try {
    return JSON.parse(read(file))
  } catch {
    return {}
  }
}

function read(file) {
  try {
    return readFileSync(join(root, file), 'utf8')
  } catch {
    return ''
  }
}

function hasNode() {
  return majorOf(process.version) >= 24 || pinnedNodeRuns()
}

function pinnedNodeRuns() {
  const { stdout } = spawnSync(pinnedNode, ['--version'], { encoding: 'utf8' })
  return majorOf(stdout ?? '') >= 24
}

function majorOf(version) {
  return Number(/^v(\d+)/.exec(version)?.[1] ?? 0)
}

async function install() {
  say('Installing packages (about half a minute, the first time only)')
  // Packages for development are added to a program that may be running: npm ci would delete its files.
  const isAddition = wholePackages() !== undefined && isStamped(false)
  if (!isAddition) removePackages()
  let { status, output } = await runNpm(isAddition ? ['install', '--no-save'] : ['ci'])
  if (status !== 0 && isBehindManifest(output)) ({ status, output } = await runNpm(['install', '--no-save']))
  if (status !== 0) fail(`${output}\n${adviceOn(output)}`)
  writeFileSync(join(root, stamp), stampOf(needsDev))
  if (!pinnedNodeRuns()) {
    rmSync(pinnedNode, { force: true }) // so that the next command finds the machine's own Node
    if (!hasNode()) {
      fail(
        `The npm package "node" brought no Node 24 that runs here (${process.platform} ${process.arch}, scripts ` +
          `of packages must be allowed): install Node 24 or later, then run the command again.`,
      )
    }
  }
}

/** npm ci refuses a lock file that does not have what somebody has just added to a package.json. */
function isBehindManifest(output) {
  return /npm ci.*can only install/s.test(output)
}

function runNpm(what) {
  const npm = process.env.npm_execpath?.endsWith('npm-cli.js') ? process.env.npm_execpath : undefined
  const started = process.env.npm_node_execpath ?? process.execPath
  const node = started.startsWith(join(root, 'node_modules') + sep) ? 'node' : started // not one about to be deleted
  const flags = [
    ...what,
    needsDev ? '--include=dev' : '--omit=dev',
    '--loglevel=http', // its requests, for NpmRequests
    '--no-progress',
    '--no-audit',
    '--no-fund',
    '--engine-strict=false',
  ]
  const cache = writableCache()
  const child = spawn(npm ? node : 'npm', npm ? [npm, ...flags] : flags, {
    cwd: root,
    env: {
      ...process.env,
      PATH: pathWithoutPinnedNode(),
      npm_config_cache: cache.folder,
      ONNXRUNTIME_NODE_INSTALL: 'skip', // its libraries for graphics cards, which nothing here runs on
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: !npm && process.platform === 'win32',
  })
  let interrupted = false
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => (interrupted = child.kill(signal) || interrupted))
  }
  const requests = new NpmRequests(say)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      if (line.startsWith('npm http')) requests.read(line)
      else if (!/^npm (notice|warn|info)/.test(line)) output += `${line}\n`
    })
  }
  return new Promise((resolve) => {
    const end = (status) => {
      requests.end()
      cache.remove()
      if (interrupted) process.exit(130)
      resolve({ status, output: output.trim() })
    }
    child.on('error', (error) => {
      output += error.message
      end(1)
    })
    child.on('close', (status) => end(status ?? 1))
  })
}

function say(line) {
  process.stdout.write(`${line}\n`)
}

// npm takes a half-extracted package for a whole one, so what a killed install left must go first.
function removePackages() {
  const folder = join(root, 'node_modules')
  try {
    for (const entry of existsSync(folder) ? readdirSync(folder) : []) {
      rmSync(join(folder, entry), { recursive: true, force: true })
    }
  } catch (error) {
    fail(adviceOn(error.message))
  }
}

// The pinned Node is about to be replaced, so nothing that npm starts may be running on it.
function pathWithoutPinnedNode() {
  const own = join('node_modules', '.bin')
  return (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !folder.endsWith(sep + own))
    .join(delimiter)
}

function writableCache() {
  const usual = process.env.npm_config_cache ?? join(process.env.HOME ?? homedir(), '.npm')
  try {
    const inner = join(usual, '_cacache')
    mkdirSync(inner, { recursive: true })
    for (const folder of [usual, inner]) accessSync(folder, constants.W_OK)
    return { folder: usual, remove() {} }
  } catch {
    const folder = mkdtempSync(join(tmpdir(), 'switchroom-npm-'))
    return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
  }
}

// Held by the kernel until this process ends, so a killed install leaves no lock behind.
async function lock() {
  const name = `switchroom-install-${createHash('sha256').update(root).digest('hex').slice(0, 16)}`
  for (let tries = 0; !(await tryLock(name)); tries++) {
    if (tries === 3) say('Waiting for another command that installs the packages')
    await sleep(300)
  }
}

function tryLock(name) {
  if (process.platform === 'linux') return tryListen(`\0${name}`)
  if (process.platform === 'win32') return tryListen(`\\\\.\\pipe\\${name}`)
  try {
    const exclusiveLockNonBlocking = 0x20 | constants.O_NONBLOCK // O_EXLOCK of macOS and the BSDs
    openSync(join(tmpdir(), name), constants.O_CREAT | constants.O_RDWR | exclusiveLockNonBlocking, 0o600)
    return true
  } catch (error) {
    if (error.code === 'EAGAIN') return false
    throw error
  }
}

function tryListen(address) {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', (error) => (error.code === 'EADDRINUSE' ? resolve(false) : reject(error)))
    server.listen(address, () => resolve(true))
  })
}

function adviceOn(output) {
  if (/ENOSPC|no space left/i.test(output))
    return 'The disk is full: free some space, then run the command again.'
  if (/EACCES|EPERM|EROFS/.test(output)) {
    return `The packages cannot be written: make ${root} writable for this user, then run the command again.`
  }
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH/.test(output)) {
    return "npm cannot reach its registry: check the network and npm's proxy settings, then run the command again."
  }
  return 'npm could not install the packages, its own words are above: see to them, then run the command again.'
}

function fail(sentence) {
  process.stderr.write(`${sentence}\n`)
  process.exit(1)
}
