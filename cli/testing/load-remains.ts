import assert from 'node:assert/strict'
import type { Deployment } from '@switchroom/gateway/testing/deployment'
import { until } from '@switchroom/gateway/testing/until'

/** What svc load must not leave in its org, counted behind the interface. */
const remains = {
  'keys that work': `select 1 from keys k join orgs o on o.id = k.org where o.slug = 'svc-load' and k.revoked_at is null`,
  'open calls': `select 1 from calls c join orgs o on o.id = c.org where o.slug = 'svc-load' and c.ended_at is null`,
  words: `select 1 from entries e join logs l on l.id = e.log join orgs o on o.id = l.org
    where o.slug = 'svc-load' and e.type in ('user.message', 'agent.message')`,
  numbers: `select 1 from numbers n join orgs o on o.id = n.org where o.slug = 'svc-load'`,
  'messages that wait': `select 1 from waiting_messages w join orgs o on o.id = w.org where o.slug = 'svc-load'`,
  'carrier accounts': `select 1 from carrier_accounts c join orgs o on o.id = c.org
    where o.slug = 'svc-load' and c.forgotten_at is null`,
  'approved networks': `select 1 from networks n join orgs o on o.id = n.org
    where o.slug = 'svc-load' and n.state = 'approved'`,
  fences: `select 1 from fences f join orgs o on f.name like o.id || '/%' where o.slug = 'svc-load'`,
  apps: `select 1 from app_sockets a join orgs o on o.id = a.org where o.slug = 'svc-load'`,
} as const

/** A gateway notices a moment later that an app has gone. */
export async function assertNothingRemains({ sql }: Pick<Deployment, 'sql'>): Promise<void> {
  const counted: Record<string, number> = {}
  const isEmpty = async () => {
    for (const [what, query] of Object.entries(remains)) counted[what] = (await sql(query)).rows.length
    return Object.values(counted).every((count) => count === 0)
  }
  await until('nothing of the run remains', isEmpty, 10_000).catch(() => {})
  assert.deepEqual(counted, Object.fromEntries(Object.keys(remains).map((what) => [what, 0])))
}
