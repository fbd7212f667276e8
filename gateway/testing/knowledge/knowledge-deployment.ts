import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { KnowledgeDocument } from '@switchroom/contract/knowledge'
import { done } from '../agents/test-agents.ts'
import type { Client } from '../client.ts'
import { startDeployment, type Deployment, type TestOrg } from '../deployment.ts'
import { until } from '../until.ts'

let made = 0

/** A deployment that keeps documents in a folder of its own. */
export class KnowledgeDeployment implements AsyncDisposable {
  readonly deployment: Deployment
  readonly folder: string

  private constructor(deployment: Deployment, folder: string) {
    this.deployment = deployment
    this.folder = folder
  }

  static async start(wanted: Record<string, string> = {}): Promise<KnowledgeDeployment> {
    const folder = await mkdtemp(join(tmpdir(), 'switchroom-documents-'))
    const deployment = await startDeployment({ SVC_RECORDINGS: folder, ...wanted })
    return new KnowledgeDeployment(deployment, folder)
  }

  /** A base of a new org, or of this one, with a client that opens it. */
  async newBase(org?: TestOrg, more: object = {}) {
    const owner = org ?? (await this.deployment.newOrg())
    const { client } = await owner.serverToken('sandbox', { scopes: ['knowledge'] })
    const name = `base-${(made += 1)}`
    done(await client.post('/v1/bases', { base: name, ...more }))
    const base = `/v1/bases/${name}`
    return {
      org: owner,
      client,
      name,
      base,
      read: (id: string) => this.settled(client, `${base}/documents/${id}`),
      upload: (files: Record<string, string | Buffer>, fields: Record<string, string> = {}) =>
        upload(client, 'POST', `${base}/documents`, files, fields),
      chunksOf: (id: string) => this.chunksOf(id),
    }
  }

  /** The document once it is read, or failed. */
  async settled(client: Client, path: string): Promise<KnowledgeDocument> {
    return until('the document is read', async () => {
      const document = done(await client.get(path)) as KnowledgeDocument
      return document.state === 'ready' || document.state === 'failed' ? document : undefined
    })
  }

  async chunksOf(document: string): Promise<{ heading: string[]; text: string }[]> {
    const { rows } = await this.deployment.sql(
      `select heading, text from knowledge_chunks where document = $1 order by ordinal`,
      [document],
    )
    return rows as { heading: string[]; text: string }[]
  }

  /** The blobs of an org. */
  blobsOf = (org: TestOrg) => readdir(join(this.folder, org.id, 'documents')).catch(() => [] as string[])

  async [Symbol.asyncDispose]() {
    await this.deployment[Symbol.asyncDispose]()
    await rm(this.folder, { recursive: true, force: true })
  }
}

/** Files as a browser sends them. */
export function upload(
  client: Client,
  method: 'POST' | 'PUT',
  path: string,
  files: Record<string, string | Buffer>,
  fields: Record<string, string> = {},
) {
  const form = new FormData()
  for (const [field, value] of Object.entries(fields)) form.set(field, value)
  for (const [name, content] of Object.entries(files))
    form.append('file', new Blob([typeof content === 'string' ? content : new Uint8Array(content)]), name)
  return client.raw(path, { method, body: form })
}
