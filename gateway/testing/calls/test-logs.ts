import type { Environment } from '@switchroom/contract/scopes'
import { callLog, type LogRef } from '../../src/calls/log/entries.ts'
import type { Client } from '../client.ts'
import type { Deployment, TestOrg } from '../deployment.ts'
import { EventReader } from './event-reader.ts'
import { done } from '../agents/test-agents.ts'

export const said = (text: string) => ({ type: 'user.message', data: { text, messageId: text } })
export const ends = { type: 'call.ended', data: { reason: 'hangup' } }

/** The numbers from one to another, both in. */
export const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n)

/** Logs of an org's calls, and a key that reads them. */
export class TestLogs {
  readonly deployment: Deployment
  readonly org: TestOrg
  readonly key: string
  readonly client: Client

  constructor(deployment: Deployment, org: TestOrg, { key, client }: { key: string; client: Client }) {
    this.deployment = deployment
    this.org = org
    this.key = key
    this.client = client
  }

  static async of(deployment: Deployment): Promise<TestLogs> {
    const org = await deployment.newOrg()
    return new TestLogs(deployment, org, await org.serverToken('sandbox'))
  }

  /** A call's log with so many entries. */
  async open(entries = 0, agent = 'desk', client = this.client, env: Environment = 'sandbox') {
    const { call } = done(await client.post('/v1/calls', { agent, channel: 'chat' }))
    const ref: LogRef = callLog({ id: call, org: this.org.id, env, agent })
    await this.write(
      ref,
      range(1, entries).map((n) => said(`${n}`)),
    )
    return { ...ref, at: `/v1/calls/${call}/events` }
  }

  write(ref: LogRef, entries: Parameters<Deployment['gateway']['services']['log']['append']>[1]) {
    return this.deployment.gateway.services.log.append(ref, entries)
  }

  read(path: string, { key = this.key, at = this.deployment, cutAfter, ...headers }: Reading = {}) {
    return EventReader.open(at.url + path, { authorization: `Bearer ${key}`, ...headers }, cutAfter)
  }

  /** As an age after which logs are forgotten would. */
  async erase(ref: LogRef, seqs: readonly number[]) {
    const client = await this.deployment.gateway.services.database.pool.connect()
    try {
      await client.query(`begin; set local switchroom.erasing = 'on'`)
      await client.query('delete from entries where log = $1 and seq = any($2::int[])', [ref.id, seqs])
      await client.query('commit')
    } finally {
      client.release()
    }
  }
}

interface Reading {
  key?: string
  at?: Deployment
  /** Characters. */
  cutAfter?: number
  'last-event-id'?: string
  'accept-encoding'?: string
}
