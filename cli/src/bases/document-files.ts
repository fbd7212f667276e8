import { createHash } from 'node:crypto'
import { readdir, readFile, stat, watch } from 'node:fs/promises'
import { basename, join, relative, sep } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { DocumentList, KnowledgeDocument } from '@switchroom/contract/knowledge'
import { path, type GatewayClient } from '../gateway/gateway-client.ts'
import { reasonOf, wrongUsage } from '../terminal/failures.ts'

const known = /\.(?:md|markdown|txt|text|html?|xhtml|pdf|docx|csv|tsv)$/i
/** Editors write a file in several steps. */
const settlesWithinMs = 300

export interface Wanted {
  base: string
  /** A file or a folder. */
  root: string
  name: string | undefined
  deletes: boolean
}

export interface Changes {
  added: number
  replaced: number
  deleted: number
  same: number
}

type Tell = (line: string) => unknown

/** Makes the documents of a base what the files are; those whose content is there already are not sent. */
export async function synchronised(client: GatewayClient, wanted: Wanted, tell: Tell): Promise<Changes> {
  const { base, root, name, deletes } = wanted
  const files = await filesIn(root)
  const isFolder = files.isFolder
  if (name !== undefined && isFolder) throw wrongUsage('--name is for one file')
  const at = path`/v1/bases/${base}/documents`
  const there = new Map((await documentsOf(client, at)).map((document) => [document.name, document]))
  const changes: Changes = { added: 0, replaced: 0, deleted: 0, same: 0 }
  const named = new Set<string>()
  for (const file of files.paths) {
    const called = name ?? (isFolder ? relative(root, file).split(sep).join('/') : basename(file))
    named.add(called.normalize('NFC'))
    const content = await readFile(file)
    const older = there.get(called.normalize('NFC'))
    if (older?.digest === createHash('sha256').update(content).digest('hex')) {
      changes.same += 1
      continue
    }
    const form = new FormData()
    form.set('file', new Blob([new Uint8Array(content)]), called)
    if (older) await client.put(`${at}/${older.id}`, form)
    else await client.post(at, form)
    changes[older ? 'replaced' : 'added'] += 1
    tell(`${older ? 'Replaced' : 'Added'} ${called}.`)
  }
  if (deletes && isFolder)
    for (const { id, name: called, source } of there.values()) {
      if (source !== 'upload' || named.has(called)) continue
      await client.delete(`${at}/${id}`)
      changes.deleted += 1
      tell(`Deleted ${called}.`)
    }
  return changes
}

/** Follows the folder until the program is ended. */
export async function watched(client: GatewayClient, wanted: Wanted, tell: Tell): Promise<void> {
  tell(`Watching ${wanted.root}: end with Ctrl+C.`)
  for await (const _ of watch(wanted.root, { recursive: true })) {
    await pause(settlesWithinMs)
    await synchronised(client, wanted, tell).catch((error: unknown) => tell(`Not sent: ${reasonOf(error)}`))
  }
}

async function filesIn(root: string): Promise<{ isFolder: boolean; paths: string[] }> {
  const found = await stat(root).catch((error: unknown) => {
    throw wrongUsage(`${root} could not be read: ${reasonOf(error)}`)
  })
  if (!found.isDirectory()) return { isFolder: false, paths: [root] }
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile() && known.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter(
      (file) =>
        !relative(root, file)
          .split(sep)
          .some((part) => part.startsWith('.') || part === 'node_modules'),
    )
  return { isFolder: true, paths: paths.toSorted() }
}

async function documentsOf(client: GatewayClient, at: string): Promise<KnowledgeDocument[]> {
  const documents: KnowledgeDocument[] = []
  let after: string | undefined
  do {
    const page = await client.get<DocumentList>(at, { after, limit: 200 })
    documents.push(...page.documents)
    after = page.next ?? undefined
  } while (after !== undefined)
  return documents
}
