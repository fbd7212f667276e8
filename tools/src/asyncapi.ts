import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { asyncApi } from './asyncapi/document.ts'
import { withTables } from './asyncapi/tables.ts'

const docs = join(fileURLToPath(new URL('../..', import.meta.url)), 'docs')
export const documentPath = join(docs, 'asyncapi.json')
export const pagePath = join(docs, 'protocol.md')

export const documentText = () => `${JSON.stringify(asyncApi(), null, 2)}\n`
export const pageText = () => withTables(readFileSync(pagePath, 'utf8'))

/** Writes docs/asyncapi.json and the tables of docs/protocol.md anew. */
if (import.meta.main) {
  writeFileSync(documentPath, documentText())
  writeFileSync(pagePath, pageText())
}
