// Builds the console, and what other people's pages load of us, into console/dist, or into the data folder if that is not writable, unless what is there
// was built from these very sources.
import { createHash } from 'node:crypto'
import {
  accessSync,
  constants as modes,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, extname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const folder = join(root, 'console')
const shared = join(folder, 'dist')
const own = join(resolve(process.env.SVC_DATA || 'data'), 'console')
const stamp = 'built-from'
const isTest = (process.env.npm_lifecycle_event ?? 'pretest').startsWith('pretest')
const compressed = new Set(['.js', '.css', '.svg'])

const digest = digestOfSources()
const dist = isBuilt(shared) || isWritable(folder) ? shared : own
if (dist === shared && existsSync(own)) rmSync(own, { recursive: true, force: true }) // of a time before
if (!isBuilt(dist)) await build()

async function build() {
  if (dist === own) mkdirSync(dirname(own), { recursive: true, mode: 0o700 })
  const making = mkdtempSync(join(dirname(dist), '.dist-')) // beside its place: a half-built console is never served
  try {
    // The bundler of this folder, whatever the caller's own is.
    const { build: bundle } = await import(
      pathToFileURL(join(root, 'node_modules/vite/dist/node/index.js')).href
    )
    await bundle({
      root: folder,
      configLoader: 'runner', // the usual one writes beside the packages, which not every user may
      logLevel: 'warn',
      build: { outDir: making, emptyOutDir: true },
    })
    await compress(join(making, 'assets'))
    await buildEmbed(bundle, join(making, 'embed'))
    writeFileSync(join(making, stamp), digest)
    put(making)
  } catch (error) {
    process.stderr.write(`The console could not be built: ${error.message}\n`)
    process.exitCode = isTest ? 1 : 0 // a deployment runs without its console, and says so at its address
  } finally {
    rmSync(making, { recursive: true, force: true })
  }
}

/** What other people's pages load: one module, and LiveKit's client beside it for those whose plane is LiveKit. */
async function buildEmbed(bundle, place) {
  await bundle({
    root: join(root, 'browser'),
    configFile: false,
    logLevel: 'warn',
    build: {
      outDir: place,
      emptyOutDir: true,
      target: 'es2022',
      chunkSizeWarningLimit: 700,
      modulePreload: false,
      lib: { entry: join(root, 'browser/src/embed.ts'), formats: ['es'], fileName: 'switchroom' },
      rolldownOptions: { output: { entryFileNames: 'switchroom.js', chunkFileNames: '[name]-[hash].js' } },
    },
  })
  await compress(place)
}

/** Two builds at the same time make the same files: the second one finds them. */
function put(made) {
  const old = `${made}-old`
  try {
    if (existsSync(dist)) renameSync(dist, old)
    renameSync(made, dist)
  } catch (error) {
    if (!isBuilt(dist)) throw error
  } finally {
    rmSync(old, { recursive: true, force: true })
  }
}

async function compress(assets) {
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }
  const files = readdirSync(assets).filter((file) => compressed.has(extname(file)))
  await Promise.all(
    files.map(async (file) => {
      const content = readFileSync(join(assets, file))
      writeFileSync(join(assets, `${file}.br`), await promisify(brotliCompress)(content, quality))
      writeFileSync(join(assets, `${file}.gz`), await promisify(gzip)(content, { level: 9 }))
    }),
  )
}

function isBuilt(place) {
  return readIfThere(join(place, stamp)) === digest
}

function isWritable(place) {
  try {
    accessSync(place, modes.W_OK)
    return true
  } catch {
    return false
  }
}

function digestOfSources() {
  const sources = ['index.html', 'package.json', 'vite.config.ts', ...filesUnder(join(folder, 'src'), 'src/')]
  const files = [
    ...sources.map((file) => join(folder, file)),
    ...['contract/src', 'browser/src'].flatMap((place) =>
      filesUnder(join(root, place), '').map((file) => join(root, place, file)),
    ),
    fileURLToPath(import.meta.url),
  ]
  const hash = createHash('sha256')
  for (const file of files)
    hash
      .update(`${file.slice(root.length)}\n`)
      .update(readFileSync(file))
      .update('\n')
  return hash.digest('hex')
}

function filesUnder(place, prefix) {
  return readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => prefix + join(entry.parentPath, entry.name).slice(place.length + 1))
    .toSorted()
}

function readIfThere(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
