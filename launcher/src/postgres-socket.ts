import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { Failure, hasCode } from './failures.ts'

const longestPathBytes = 100 // a socket's path may have 104 bytes on macOS, 108 on Linux

interface SocketFolder {
  folder: string
  remove(): void
}

/** A path to the cluster, where its socket lies, that is short enough for a client to connect to. */
export function openSocketFolder(cluster: string): SocketFolder {
  if (Buffer.byteLength(join(cluster, '.s.PGSQL.5432')) <= longestPathBytes)
    return { folder: cluster, remove() {} }
  const digest = createHash('sha256').update(cluster).digest('hex').slice(0, 16)
  const folder = join('/tmp', `switchroom-${digest}`)
  makePrivate(folder)
  const link = join(folder, 'postgres')
  rmSync(link, { force: true })
  symlinkSync(cluster, link)
  return { folder: link, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

function makePrivate(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
  }
  const { mode, uid } = lstatSync(folder)
  if (uid === process.getuid?.() && (mode & 0o170777) === 0o040700) return
  throw new Failure(`${folder} belongs to another user: remove it, or set SVC_DATA to a shorter path`)
}
