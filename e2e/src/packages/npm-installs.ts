import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { root } from '../launch.ts'

/** Beside the checkout's own: of 20 one that cannot load an ES module with require, as later ones can. */
export const olderNodes = { 20: '20.18.3', 22: '22.23.3' } as const

/** Says why a test is skipped: npm could not reach its registry. */
export class NoRegistry extends Error {}

/** Of what `npm test` hands to its programs, all that npm needs to find its packages. */
const reachesRegistry = /^npm_config_(cache|registry|userconfig|globalconfig|cafile|(https?-|no)?proxy)$/i

const unreachable = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EIDLETIMEOUT/

/** `npm install` in a folder that has a package.json. */
export function npmInstall(folder: string, ...more: string[]): void {
  const flags = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error', '--fetch-retries=1']
  const ran = spawnSync('npm', ['install', ...flags, ...more], {
    cwd: folder,
    encoding: 'utf8',
    env: environment(),
  })
  if (ran.status === 0) return
  const said = `${ran.stdout}${ran.stderr}`
  if (unreachable.test(said)) throw new NoRegistry("npm's registry cannot be reached")
  throw new Error(`npm install ${more.join(' ')} failed: ${said}`)
}

/** The path of a Node of this major version, from npm's package `node`; it is fetched once per checkout. */
export function olderNode(major: keyof typeof olderNodes): string {
  const version = olderNodes[major]
  const folder = join(root, 'node_modules', '.cache', 'switchroom', `node-${version}`)
  const program = join(folder, 'node_modules', 'node', 'bin', 'node')
  const isWhole = () =>
    spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout?.trim() === `v${version}`
  if (existsSync(program) && isWhole()) return program
  mkdirSync(folder, { recursive: true })
  const manifest = { private: true, dependencies: { node: version }, allowScripts: { node: true } }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  npmInstall(folder)
  if (!isWhole()) throw new Error(`npm's package node ${version} brought no Node ${version} that runs here`)
  return program
}

/** The environment of a person who has this Node and no gateway set. */
export function environment(node?: string): Record<string, string> {
  const inherited = Object.entries(process.env).filter(
    ([name]) =>
      reachesRegistry.test(name) || !/^(SVC_|NODE_TEST_|NODE_OPTIONS|npm_|INIT_CWD|PWD)/i.test(name),
  )
  const settings = Object.fromEntries(inherited) as Record<string, string>
  if (node !== undefined) settings['PATH'] = [dirname(node), settings['PATH']].join(delimiter)
  return settings
}
