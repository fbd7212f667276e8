import { access, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { acceptedEncodings } from '../../http/accepted-encodings.ts'

/** The folder that `tools/build-console.mjs` writes. */
export const consoleFolder = join(import.meta.dirname, '../../../../console/dist')

export interface ConsoleFile {
  path: string
  type: string
  encoding: string | undefined
}

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}
/** How files lie there compressed, the best first. */
const endings: Readonly<Record<string, string>> = { br: '.br', gzip: '.gz' }
const assetName = /^[\w-]+(?:\.[\w-]+)+$/

/** The console as it lies on disk now: one that is built anew is served at once. */
export class ConsoleFiles {
  readonly #folder: string

  constructor(folder = consoleFolder) {
    this.#folder = folder
  }

  /** The console's page; undefined if it was not built. */
  page(): Promise<string | undefined> {
    return readFile(join(this.#folder, 'index.html'), 'utf8').catch(() => undefined)
  }

  /** The file for a client that accepts these encodings; undefined if no file has the name. */
  async asset(
    name: string,
    accepted = '',
    folder: 'assets' | 'embed' = 'assets',
  ): Promise<ConsoleFile | undefined> {
    const type = types[extname(name)]
    if (type === undefined || !assetName.test(name)) return undefined
    const path = join(this.#folder, folder, name)
    const taken = acceptedEncodings(accepted)
    for (const [encoding, ending] of Object.entries(endings))
      if (taken.has(encoding) && (await exists(path + ending))) return { path: path + ending, type, encoding }
    return (await exists(path)) ? { path, type, encoding: undefined } : undefined
  }
}

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )
