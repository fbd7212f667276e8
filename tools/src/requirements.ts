import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readItems } from './requirements-documents.ts'
import { match, readTestNames } from './requirements-names.ts'
import { report, usage } from './requirements-report.ts'
import { readSources } from './sources.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

const items = readItems(join(root, 'docs/requirements'))
const { named, unclear } = match(items, await readTestNames(readSources(root)))
const lines = report(process.argv.slice(2), items, named, unclear)

process.stdout.write(`${lines?.join('\n') ?? usage}\n`)
if (!lines) process.exitCode = 2
