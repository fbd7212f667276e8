import { posix } from 'node:path'
import { type Import, type Package, readImports, readPackages } from './architecture-imports.ts'
import { folderCircles } from './folder-circles.ts'
import type { Sources } from './sources.ts'

/** A room imports only what its line names. `docs/architecture.md` says what each room is. */
const rooms: Record<string, readonly string[] | 'any'> = {
  contract: [],
  audio: [],
  telemetry: [],
  process: ['telemetry'],
  'vendors/kit': ['contract', 'audio'],
  'vendors/*': ['contract', 'audio', 'vendors/kit'],
  session: ['contract', 'audio', 'telemetry', 'vendors/kit'],
  media: ['contract', 'audio'],
  gateway: ['contract', 'audio', 'telemetry', 'process', 'vendors/kit', 'session', 'media'],
  speech: ['contract', 'audio', 'telemetry', 'process', 'vendors/kit'],
  worker: ['contract', 'audio', 'telemetry', 'process', 'vendors/kit', 'session', 'media', 'sdk'],
  sdk: ['contract'],
  cli: ['contract', 'audio', 'media', 'sdk'],
  browser: ['contract'],
  react: ['browser'],
  console: ['contract', 'browser'],
  launcher: [],
  'examples/*': ['sdk'],
  tools: 'any',
  e2e: 'any',
  bench: 'any',
}

/** The gateway's inner rooms; each imports only those before it. */
const gatewayRooms = [
  'foundation',
  'database',
  'http',
  'audit',
  'mail',
  'people',
  'providers',
  'agents',
  'knowledge',
  'calls',
  'telephony',
  'messaging',
  'webhooks',
  'evals',
  'platform',
]
/** The folders of its room `calls`; each imports only those before it. */
const callFolders = [
  'connection-caps',
  'contacts',
  'metering',
  'log',
  'partitions',
  'minutes',
  'records',
  'memory',
  'resolution',
  'knowledge',
  'between-gateways',
  'callbacks',
  'app-requests',
  'lines',
  'written',
  'spoken',
  'supervising',
  'recordings',
  'backfills',
  'sessions',
  'insights',
  'erasure',
]
const callsRoom = 'gateway/src/calls/'
/** What assembles the gateway from its rooms, and imports them all. */
const gatewayTop = new Set(['services.ts', 'app.ts', 'gateway.ts', 'main.ts', 'run.ts', 'start-failure.ts'])

const emptyNames = new Set(['index', 'utils', 'helpers', 'common', 'manager', 'handler', 'base'])

/** One sentence for each place where the sources leave the architecture. */
export async function violations(sources: Sources): Promise<string[]> {
  const packages = readPackages(sources)
  const root = packages.find(({ folder }) => folder === '.')
  const imports = await readImports(sources, packages)
  return [
    ...packages.flatMap(unknownRoom),
    ...Object.keys(sources).flatMap(emptyName),
    ...Object.keys(sources).flatMap(outsideGatewayRooms),
    ...Object.keys(sources).flatMap(outsideCallFolders),
    ...imports.flatMap((found) => [
      ...forbiddenRoom(found),
      ...forbiddenGatewayRoom(found),
      ...forbiddenCallFolder(found),
      ...relativeAcrossPackages(found),
      ...undeclared(found, root),
      ...foreignStore(found),
      ...routesOutsideApp(found),
      ...testingInProgram(found),
    ]),
    ...circles(imports),
    ...folderCircles(imports.filter(({ file, from, to }) => from === to && !isForDevelopment(file))),
  ]
}

function unknownRoom({ folder }: Package): string[] {
  if (folder === '.' || lineOf(folder)) return []
  return [`${folder} is a package that the table of rooms does not name.`]
}

function emptyName(path: string): string[] {
  const word = path.split(/[/.]/).find((part) => emptyNames.has(part))
  return word ? [`${path} is called ${word}, which says nothing: name it after what it holds.`] : []
}

function outsideGatewayRooms(path: string): string[] {
  const room = gatewayRoomOf(path)
  if (!room || isForDevelopment(path) || gatewayRooms.includes(room) || gatewayTop.has(room)) return []
  return [`${path} is in no room of the gateway: they are ${gatewayRooms.join(', ')}.`]
}

function forbiddenRoom({ file, specifier, from, to }: Import): string[] {
  if (!to || to === from || isForDevelopment(file)) return []
  const allowed = lineOf(from.folder) ?? []
  if (allowed === 'any' || allowed.includes(to.folder)) return []
  return [`${file} imports ${specifier}, but ${from.folder} may import ${listed(allowed)} of our rooms.`]
}

function forbiddenGatewayRoom({ file, specifier, target }: Import): string[] {
  const room = gatewayRoomOf(file)
  const targetRoom = gatewayRoomOf(target ?? '')
  if (!room || !targetRoom || room === targetRoom || isForDevelopment(file) || !gatewayRooms.includes(room))
    return []
  const above = gatewayRooms.slice(0, gatewayRooms.indexOf(room))
  if (above.includes(targetRoom)) return []
  return [`${file} imports ${specifier}, but ${room} may import ${listed(above)} of the gateway's rooms.`]
}

function outsideCallFolders(path: string): string[] {
  const folder = callFolderOf(path)
  if (!folder || isForDevelopment(path) || folder === 'room.ts' || callFolders.includes(folder)) return []
  return [`${path} is in no folder of calls: they are ${callFolders.join(', ')}.`]
}

function forbiddenCallFolder({ file, specifier, target }: Import): string[] {
  const folder = callFolderOf(file)
  const targetFolder = callFolderOf(target ?? '')
  if (!folder || !targetFolder || folder === targetFolder || isForDevelopment(file) || folder === 'room.ts')
    return []
  const above = callFolders.slice(0, callFolders.indexOf(folder))
  if (above.includes(targetFolder)) return []
  return [`${file} imports ${specifier}, but ${folder} may import ${listed(above)} of the folders of calls.`]
}

function relativeAcrossPackages({ file, specifier, bare, from, to }: Import): string[] {
  if (bare || to === from) return []
  return [`${file} imports ${specifier}, but another package is imported by its name.`]
}

function undeclared({ file, specifier, bare, from }: Import, root: Package | undefined): string[] {
  if (!bare || from.dependencies.has(bare)) return []
  const forDevelopment = from.devDependencies.has(bare) || root?.devDependencies.has(bare)
  if (forDevelopment && isForDevelopment(file)) return []
  return [`${file} imports ${specifier}, but ${from.folder}/package.json does not declare ${bare} for it.`]
}

function foreignStore({ file, specifier, target }: Import): string[] {
  if (!target?.endsWith('.store.ts') || posix.dirname(target) === posix.dirname(file)) return []
  if (file.startsWith('bench/')) return [] // which measures the very statements
  return [`${file} imports ${specifier}, but a store is imported only from its own folder.`]
}

function routesOutsideApp({ file, specifier, target }: Import): string[] {
  if (!target?.endsWith('.routes.ts') || posix.basename(file) === 'app.ts' || isForDevelopment(file))
    return []
  return [`${file} imports ${specifier}, but routes are imported only by app.ts.`]
}

function testingInProgram({ file, specifier, target, from, to }: Import): string[] {
  if (!target || to !== from || isForDevelopment(file) || !isForDevelopment(target)) return []
  return [`${file} imports ${specifier}, but the program imports nothing that is made for tests.`]
}

// Type-only imports count: files that need each other's types cannot be read or moved apart either.
function circles(imports: Import[]): string[] {
  const inside = imports.filter(({ from, to }) => from === to)
  const importsOf = Map.groupBy(inside, ({ file }) => file)
  const done = new Set<string>()
  const found: string[] = []
  for (const file of importsOf.keys()) follow(file, [])
  return found

  function follow(file: string, way: string[]): void {
    const trail = [...way, file]
    for (const { specifier, target } of importsOf.get(file) ?? []) {
      if (!target || done.has(target)) continue
      const start = trail.indexOf(target)
      if (start === -1) {
        follow(target, trail)
        continue
      }
      const circle = [...trail.slice(start), target].join(' → ')
      found.push(`${file} imports ${specifier}, but imports form no circle: ${circle}.`)
    }
    done.add(file)
  }
}

/** Tests, and the packages and folders that never ship. */
function isForDevelopment(path: string): boolean {
  const [room = ''] = path.split('/')
  return rooms[room] === 'any' || path.includes('/testing/') || /\.test\.tsx?$/.test(path)
}

/** The folder under gateway/src, or the file that lies directly in it. */
function gatewayRoomOf(path: string): string | undefined {
  return path.startsWith('gateway/src/') ? path.split('/')[2] : undefined
}

/** The folder under gateway/src/calls, or the file that lies directly in it. */
function callFolderOf(path: string): string | undefined {
  return path.startsWith(callsRoom) ? path.slice(callsRoom.length).split('/')[0] : undefined
}

function lineOf(folder: string): readonly string[] | 'any' | undefined {
  return rooms[folder] ?? rooms[`${posix.dirname(folder)}/*`]
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? 'none' : `only ${names.join(', ')}`
}
