import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmodSync, chownSync, cpSync, openSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { basename, join } from 'node:path'
import { Database } from '@switchroom/gateway/database/database'
import { until } from '@switchroom/gateway/testing/until'
import { startPostgres, type Postgres } from '@switchroom/launcher/postgres'
import { superuser } from '@switchroom/launcher/postgres-cluster'
import { afterwards, temporaryFolder, type Lasting } from '@switchroom/launcher/testing/folders'

const databaseName = 'switchroom'
/** What belongs to a running server and not to its data. */
const ofTheServer = new Set(['postmaster.pid', 'postmaster.opts', '.s.PGSQL.5432', '.s.PGSQL.5432.lock'])

/** One address of a database, whichever server stands behind it. */
export class DatabaseAddress {
  readonly #sockets = new Set<Socket>()
  readonly #folder: string
  #port = 0
  #behind = ''

  private constructor(folder: string) {
    this.#folder = folder
  }

  /** A first server, with a cluster of its own. */
  static async open(t: Lasting): Promise<{ address: DatabaseAddress; first: Postgres }> {
    const folder = temporaryFolder(t)
    chmodSync(folder, 0o755) // the servers run as somebody else if root starts them
    const address = new DatabaseAddress(folder)
    const listener = createServer((client) => address.#pass(client))
    listener.listen(0, '127.0.0.1')
    await once(listener, 'listening')
    address.#port = (listener.address() as AddressInfo).port
    afterwards(t, () => {
      listener.close()
      address.cut()
    })
    return { address, first: await address.start(t, 'first') }
  }

  get url(): string {
    return `postgresql://${superuser}@127.0.0.1:${this.#port}/${databaseName}`
  }

  /** A server on the cluster of this name; the address leads there from now on. */
  async start(t: Lasting, cluster: string): Promise<Postgres> {
    const server = await this.#start(t, cluster)
    this.#behind = socketOf(server.url(databaseName))
    return server
  }

  /** Ends every connection, as a network does. */
  cut() {
    for (const socket of this.#sockets) socket.destroy()
  }

  /** A second server that follows the first one. Every commit waits for it from now on. */
  async follow(t: Lasting, first: Postgres): Promise<Follower> {
    const leading = new Database(first.url(databaseName), () => {})
    try {
      const copy = await this.#copy(leading, first)
      const started = this.#start(t, basename(copy))
      started.catch(() => {}) // awaited when it leads
      await until('the second server follows', async () => {
        const { rows } = await leading.pool.query(`select from pg_stat_replication where state = 'streaming'`)
        return rows.length === 1
      })
      await leading.pool.query(`alter system set synchronous_standby_names to '*'`)
      await leading.pool.query('select pg_reload_conf()')
      await until('commits wait for it', async () => {
        const { rows } = await leading.pool.query(`select sync_state from pg_stat_replication`)
        return rows[0]?.sync_state === 'sync'
      })
      return { lead: () => this.#lead(copy, started) }
    } finally {
      await leading.close()
    }
  }

  async #lead(copy: string, started: Promise<Postgres>): Promise<Postgres> {
    const url = `postgresql://${superuser}@localhost/${databaseName}?host=${encodeURIComponent(copy)}`
    const database = new Database(url, () => {})
    await database.pool.query('select pg_promote()')
    await database.close()
    const server = await started
    this.#behind = socketOf(server.url(databaseName))
    return server
  }

  async #start(t: Lasting, cluster: string): Promise<Postgres> {
    const file = join(this.#folder, `${cluster}.log`)
    const server = await startPostgres({
      cluster: join(this.#folder, cluster),
      log: { file, descriptor: openSync(file, 'a') },
      signal: new AbortController().signal,
    })
    afterwards(t, () => server.stop())
    return server
  }

  /** As a base backup does, by hand: the programs for it are not in the package. */
  async #copy(leading: Database, first: Postgres): Promise<string> {
    const from = folderOf(first.url(databaseName))
    const to = join(this.#folder, 'second')
    const client = await leading.pool.connect()
    try {
      await client.query(`select pg_backup_start('second', true)`)
      cpSync(from, to, { recursive: true, filter: (path) => !ofTheServer.has(basename(path)) })
      const { rows } = await client.query('select labelfile from pg_backup_stop(false)')
      writeFileSync(join(to, 'backup_label'), String(rows[0].labelfile))
    } finally {
      client.release()
    }
    writeFileSync(join(to, 'standby.signal'), '')
    const line = `primary_conninfo = 'host=${from} user=${superuser} application_name=second'\n`
    writeFileSync(join(to, 'postgresql.auto.conf'), line, { flag: 'a' })
    giveTo(statSync(from), to)
    return to
  }

  #pass(client: Socket) {
    const server = connect(this.#behind)
    for (const socket of [client, server]) {
      this.#sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        this.#sockets.delete(socket)
        client.destroy()
        server.destroy()
      })
    }
    client.pipe(server).pipe(client)
  }
}

export interface Follower {
  /** Once the first one is gone: it takes its place at the address. */
  lead: () => Promise<Postgres>
}

function folderOf(url: string): string {
  const folder = new URL(url).searchParams.get('host')
  assert.ok(folder)
  return folder
}

const socketOf = (url: string) => `${folderOf(url)}/.s.PGSQL.5432`

/** Root starts the server as the owner of its folder. */
function giveTo({ uid, gid }: { uid: number; gid: number }, folder: string) {
  if (process.getuid?.() !== 0) return
  for (const entry of ['', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })])
    chownSync(join(folder, entry), uid, gid)
}
