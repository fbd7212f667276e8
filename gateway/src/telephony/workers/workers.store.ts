import type { WorkerBeat } from '@switchroom/contract/media-plane'
import type { Environment } from '@switchroom/contract/scopes'
import { statement, type Queryable } from '../../database/database.ts'

const beat = statement(`
  insert into workers (env, worker, calls, capacity, draining, started_at, beat_at)
  values ($1, $2, $3, $4, $5, $6, $6)
  on conflict (env, worker) do update
  set calls = excluded.calls, capacity = excluded.capacity, draining = excluded.draining, beat_at = excluded.beat_at,
    started_at = case when workers.beat_at > $7 then workers.started_at else excluded.started_at end`)

/** One that was silent since then has started anew. */
export const keepBeat = (database: Queryable, told: WorkerBeat, now: Date, silentSince: Date) =>
  database.rows(beat, told.env, told.worker, told.calls, told.capacity, told.draining, now, silentSince)

export type WorkerRow = WorkerBeat & { started_at: number; beat_at: number }

const living = statement<WorkerRow>(`
  select worker, env, calls, capacity, draining, floor(extract(epoch from started_at))::float8 as started_at,
    floor(extract(epoch from beat_at))::float8 as beat_at
  from workers where beat_at > $1 order by env, worker collate "C"`)

export const listLiving = (database: Queryable, since: Date) => database.rows(living, since)

const room = statement<{ is_known: boolean; has_room: boolean; is_overfull: boolean }>(`
  select count(*) > 0 as is_known, coalesce(bool_or(not draining and calls < capacity), false) as has_room,
    coalesce(bool_and(calls > capacity), false) as is_overfull
  from workers where env = $1 and beat_at > $2`)

/** Whether any worker of the environment lives, whether one would take a call, and whether all run too many. */
export const findRoom = (database: Queryable, env: Environment, since: Date) => database.row(room, env, since)

const forget = statement(`delete from workers where beat_at <= $1`)

export const forgetSilent = (database: Queryable, before: Date) => database.rows(forget, before)
