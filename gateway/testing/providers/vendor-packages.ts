import { mkdirSync, mkdtempSync, rmSync, writeFileSync, existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Stage } from '@switchroom/contract/stages'
import { InstalledVendor, InstalledVendors } from '@switchroom/kit/installed'
import { readManifest, type Manifest } from '@switchroom/kit/manifest'

export const manifestOf = (name: string, does: Stage[], more: Partial<Manifest> = {}): Manifest => ({
  name,
  does,
  credentials: { fields: ['api_key'], key: 'api_key' },
  stages: Object.fromEntries(does.map((stage) => [stage, stageOf(name, stage)])),
  ...more,
})

const stageOf = (name: string, stage: Stage) => ({
  default: stage.toUpperCase(),
  model: `${name}-${stage}-1`,
  classes: { [stage.toUpperCase()]: { takes: ['model', 'language', 'base_url'], knobs: {}, streams: true } },
})

/** As if packages with these manifests were installed; nothing of them can be run. */
export const vendorsOf = (...manifests: Manifest[]) =>
  new InstalledVendors(
    manifests.map((manifest) => new InstalledVendor(manifest.name, '', readManifest(manifest), null)),
  )

const workingAdapter = `
import { writeFileSync } from 'node:fs'
writeFileSync(new URL('loaded', import.meta.url), '')
export default { voice() {}, transcriber() {}, model() {}, voices: async () => [] }
`

/** A folder of vendor packages, such as an operator keeps outside the checkout. */
export class VendorFolder implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), 'vendors-'))

  /** The adapter does nothing but load, and leaves a mark when it does. */
  add(manifest: Manifest | { name: string }, adapter = workingAdapter): this {
    const folder = join(this.path, manifest.name)
    const declared = { name: `@private/${manifest.name}`, type: 'module', exports: './adapter.js' }
    mkdirSync(folder)
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...declared, svcVendor: manifest }))
    writeFileSync(join(folder, 'adapter.js'), adapter)
    return this
  }

  remove(name: string) {
    rmSync(join(this.path, name), { recursive: true })
  }

  isLoaded(name: string): boolean {
    return existsSync(join(this.path, name, 'loaded'))
  }

  /** A file beside the packages, such as a table of rates. */
  write(name: string, content: unknown): string {
    const path = join(this.path, name)
    writeFileSync(path, JSON.stringify(content))
    return path
  }

  [Symbol.dispose]() {
    rmSync(this.path, { recursive: true, force: true })
  }
}

export const rateOf = (service: Stage, provider: string, managed: boolean) => ({
  service,
  provider,
  model: `${provider}-${service}-1`,
  managed,
  tier: 'basic',
  unit: { llm: 'token', stt: 'minute', tts: 'character' }[service],
  credits: 1,
})
