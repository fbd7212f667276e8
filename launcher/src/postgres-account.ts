import { existsSync, readFileSync, statSync } from 'node:fs'
import { Failure } from './failures.ts'

export interface Account {
  uid: number
  gid: number
}

/** The account PostgreSQL runs as when root starts it, because it refuses root; undefined: the launcher's own. */
export function postgresAccount(cluster: string): Account | undefined {
  if (process.getuid?.() !== 0) return undefined
  if (process.platform !== 'linux') {
    throw new Failure('PostgreSQL does not run as root: start as an ordinary user, or set SVC_DATABASE_URL')
  }
  const owner = existsSync(cluster) ? statSync(cluster) : undefined
  return owner && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : unprivilegedAccount()
}

function unprivilegedAccount(): Account {
  const accounts = existsSync('/etc/passwd') ? readFileSync('/etc/passwd', 'utf8') : ''
  const [, uid = '65534', gid = '65534'] = /^nobody:[^:]*:(\d+):(\d+):/m.exec(accounts) ?? []
  return { uid: Number(uid), gid: Number(gid) }
}
