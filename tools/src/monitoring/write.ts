import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { monitoringFiles } from './files.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

for (const [path, text] of Object.entries(monitoringFiles())) {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}
