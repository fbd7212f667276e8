import type { Entry, NewEntry } from '@switchroom/contract/log'
import type { Environment } from '@switchroom/contract/scopes'

/** Names a log: a call's, or without a call an agent's own. */
export interface LogRef {
  id: string
  org: string
  env: Environment
  agent: string
  call: string | null
}

export const callLog = (record: { id: string; org: string; env: Environment; agent: string }): LogRef => ({
  id: record.id,
  org: record.org,
  env: record.env,
  agent: record.agent,
  call: record.id,
})

/** The fields by which a line of the process's log names a call. */
export const aboutCall = ({ id, org, agent }: { id: string; org: string; agent: string }) => ({
  call: id,
  org,
  agent,
})

/** The same of a log of which only the id is known. */
export const aboutLog = (id: string) => (id.includes('/') ? { log: id } : { call: id })

/** A call id has no slash, so the two cannot collide. */
export const agentLog = ({ org, env, agent }: { org: string; env: Environment; agent: string }): LogRef => ({
  id: `${org}/${env}/${agent}`,
  org,
  env,
  agent,
  call: null,
})

/** An entry without its `seq`. */
export interface Stamped {
  type: string
  ts: number
  data: NewEntry['data']
  /** Its JSON after the `seq`. */
  rest: string
}

/** Entries of one log that are stored together. */
export interface Writable {
  log: LogRef
  entries: readonly Stamped[]
  /** The gateway that must run the call for the write to be accepted; null if any writer may. */
  runner: string | null
  /** The number of a worker's batch; null for other writes. */
  batch: number | null
}

/** An entry with its `seq`, as stored and as readers get it. */
export interface KeptEntry {
  seq: number
  type: string
  entry: string
}

/** In an agent's own log `call` is the one that the entry mentions, if any. */
export function stamped(log: LogRef, { type, data }: NewEntry, now: Date, isEphemeral = false): Stamped {
  const ts = now.getTime() / 1000
  const call = log.call ?? (typeof data['call'] === 'string' ? data['call'] : '')
  const fields = { ts, call, agent: log.agent, type, ephemeral: isEphemeral, data }
  return { type, ts, data, rest: `,${jsonOf(fields).slice(1)}` }
}

export const withSeq = ({ type, rest }: Stamped, seq: number): KeptEntry => ({
  seq,
  type,
  entry: `{"seq":${seq}${rest}`,
})

export const entryOf = ({ entry }: Pick<KeptEntry, 'entry'>): Entry => JSON.parse(entry) as Entry

/** Removes what PostgreSQL cannot read from JSON: NUL and lone surrogates. */
function jsonOf(fields: object): string {
  const json = JSON.stringify(fields)
  if (!/\\u(0000|d[89a-f])/.test(json)) return json
  return JSON.stringify(fields, (_key, value: unknown) =>
    typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : value,
  )
}
