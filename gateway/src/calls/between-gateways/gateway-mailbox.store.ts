import { checkOf, type Check } from '../../database/due-checks.ts'
import { statement, type Queryable } from '../../database/database.ts'

export interface Posted {
  kind: string
  body: unknown
}

/** The channel on which a gateway is notified of its messages. */
export const mailboxChannel = (gateway: string) => `post_${gateway}`

// Inserted in order, so that messages are read in the order they were sent.
const send = statement(`
  insert into posts (gateway, kind, body, at)
  select gateway, kind, body::json, $4
  from unnest($1::text[], $2::text[], $3::text[]) with ordinality as sent (gateway, kind, body, place)
  order by place`)

export const insertPosts = (
  database: Queryable,
  posts: readonly { gateway: string; kind: string; body: string }[],
  now: Date,
) =>
  database.rows(
    send,
    posts.map(({ gateway }) => gateway),
    posts.map(({ kind }) => kind),
    posts.map(({ body }) => body),
    now,
  )

const take = statement<Posted>(`
  with taken as (delete from posts where gateway = $1 returning id, kind, body)
  select kind, body from taken order by id`)

export const takePosts = (database: Queryable, gateway: string) => database.rows(take, gateway)

const waiting = statement('select from posts where gateway = $1')

export const waitingCheck = (gateway: string): Check => checkOf(waiting, gateway)

const remove = statement(`
  delete from posts where at < $1 and not exists (select from gateways g where g.id = posts.gateway)`)

export const deleteOldPosts = (database: Queryable, before: Date) => database.rows(remove, before)
