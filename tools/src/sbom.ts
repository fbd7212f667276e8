import { randomUUID } from 'node:crypto'
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { byLicenceFile, exceptions, fits } from './licences.ts'
import { nameOf, neededBy, type LockedPackage, type LockFile } from './lock-file.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Workspaces that build, test and measure the product and are no part of it. */
const unshipped = new Set(['tools', 'e2e', 'bench'])

export interface Shipped {
  path: string
  name: string
  version: string
  /** An expression of SPDX; empty if the package states none. */
  licence: string
  integrity: string | undefined
  needs: string[]
}

/** What ships, with all that it needs on every platform, as the lock file has it. */
export function shippedPackages(): Shipped[] {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as LockFile
  const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    workspaces: string[]
  }
  const shipped = globSync(
    workspaces.filter((path) => !unshipped.has(path)),
    { cwd: root },
  ).filter((path) => lock.packages[path])
  return [...neededBy(lock, ['', ...shipped])]
    .filter(([path]) => path !== '')
    .map(([path, needs]) => shippedFrom(path, lock.packages[path] ?? {}, needs))
}

const shippedFrom = (path: string, locked: LockedPackage, needs: string[]): Shipped => ({
  path,
  name: nameOf(path, locked),
  version: locked.version ?? '',
  licence: byLicenceFile[nameOf(path, locked)] ?? locked.license ?? '',
  integrity: locked.integrity,
  needs,
})

/** One line for each package whose licence does not fit, and for each exception that nothing needs. */
export function problemsOf(packages: readonly Shipped[]): string[] {
  const unfit = packages.filter(({ licence }) => !fits(licence))
  const names = new Set(unfit.map(({ name }) => name))
  return [
    ...unfit
      .filter(({ name }) => !(name in exceptions))
      .map(
        ({ name, version, licence }) =>
          `${name} ${version} is under ${licence || 'no stated licence'}, which does not fit: ` +
          `leave it out, or say in tools/src/licences.ts why it ships`,
      ),
    ...Object.keys(exceptions)
      .filter((name) => !names.has(name))
      .map((name) => `${name} needs no exception any more: remove it from tools/src/licences.ts`),
  ]
}

/** The licences of what ships, one package a line. */
export function licenceList(packages: readonly Shipped[]): string {
  const lines = packages.map(({ name, version, licence }) => {
    const why = exceptions[name]
    return `${name} ${version}: ${licence}${why ? ` (${why})` : ''}`
  })
  return `${[...new Set(lines)].toSorted().join('\n')}\n`
}

/** A bill of materials in the form of CycloneDX 1.6. */
export function billOfMaterials(packages: readonly Shipped[], now: Date) {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  const refs = new Map(packages.map((one) => [one.path, `${one.path}@${one.version}`]))
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${randomUUID()}`,
    version: 1,
    metadata: {
      timestamp: now.toISOString(),
      component: { type: 'application', 'bom-ref': 'switchroom', name: 'switchroom', version },
    },
    components: packages.map((one) => ({ 'bom-ref': refs.get(one.path), ...componentOf(one) })),
    dependencies: packages.map(({ path, needs }) => ({
      ref: refs.get(path),
      dependsOn: needs.map((need) => refs.get(need)),
    })),
  }
}

function componentOf({ name, version, licence, integrity }: Shipped) {
  const [scope, bare] = name.startsWith('@') ? name.split('/', 2) : [undefined, name]
  const [algorithm, digest] = integrity?.split('-', 2) ?? []
  return {
    type: 'library',
    ...(scope && { group: scope }),
    name: bare,
    version,
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    ...(licence && {
      licenses: [/[ ()]/.test(licence) ? { expression: licence } : { license: { id: licence } }],
    }),
    ...(algorithm === 'sha512' &&
      digest && { hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }] }),
  }
}

if (import.meta.main) {
  const packages = shippedPackages()
  const problems = problemsOf(packages)
  for (const problem of problems) process.stderr.write(`${problem}\n`)
  const folder = join(root, 'build')
  mkdirSync(folder, { recursive: true })
  const bom = billOfMaterials(packages, new Date())
  writeFileSync(join(folder, 'sbom.cdx.json'), `${JSON.stringify(bom, undefined, 2)}\n`)
  writeFileSync(join(folder, 'licences.txt'), licenceList(packages))
  process.stdout.write(`build/sbom.cdx.json and build/licences.txt: ${packages.length} packages\n`)
  process.exitCode = problems.length > 0 ? 1 : 0
}
