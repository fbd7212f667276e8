import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { AppClient } from '../../testing/agents/app-client.ts'
import { done } from '../../testing/agents/test-agents.ts'
import { SpokenAgent } from '../../testing/calls/spoken-calls.ts'
import { noLimit, startDeployment } from '../../testing/deployment.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { sql, operator } = deployment
const { runningGateways } = deployment.gateway.services
await deployment.gateway.services.writtenCalls.stop() // so that it deletes no gateway that is dead

test('the apps, lines and connections of a gateway whose heartbeats are late count as long as it has its lock, and not without it', async () => {
  const late = await deployment.another()
  const { services } = late.gateway
  const { id } = services.runningGateways
  await services.tasks.stop(services.runningGateways.heartbeat)

  const org = await deployment.newOrg()
  const caps = { app_sockets: 1, event_streams: 1 }
  done(await operator.put(`/v1/ops/orgs/${org.slug}/quotas`, { ...noLimit, ...caps }))
  const { key, key_id, client } = await org.serverToken('sandbox')
  const phone = await new SpokenAgent(deployment, org, 'desk').route()
  const app = await AppClient.connect(late.url, key)
  await app.register('desk', { app: 'far away' })
  assert.equal((await app.ask({ type: 'line.register', number: phone.number })).type, 'ready')
  const streaming = new AbortController()
  const headers = { authorization: `Bearer ${key}` }
  const stream = await fetch(`${late.url}/v1/events`, { headers, signal: streaming.signal })
  assert.equal(stream.status, 200)
  await sql(`update gateways set seen_at = '2000-01-01' where id = $1`, [id])

  const { own, since } = runningGateways.alive
  const counted = async () => {
    const { rows } = await sql(
      `select open_app_socket($1, 1, $2, 'new', $3, 'sandbox', '', $4, now()) as sockets,
         open_connection($1, 'event_streams', 1, $4, 'new', $3, $2, now()) as streams`,
      [org.id, since, own, key_id],
    )
    await sql(`delete from app_sockets where id = 'new'`)
    await sql(`delete from open_connections where id = 'new'`)
    const { agents } = done(await client.get('/v1/agents'))
    const line = await deployment.gateway.services.lines.lineOf(phone.number)
    return {
      isHeld: agents.find(({ agent }: { agent: string }) => agent === 'desk').held as boolean,
      hasLine: line !== undefined,
      isDead: await runningGateways.isDead(id),
      caps: rows[0],
    }
  }
  assert.deepEqual(await counted(), {
    isHeld: true,
    hasLine: true,
    isDead: false,
    caps: { sockets: 1, streams: 1 },
  })

  await services.directConnection.stop()
  assert.deepEqual(await counted(), {
    isHeld: false,
    hasLine: false,
    isDead: true,
    caps: { sockets: null, streams: null },
  })
  streaming.abort()
  await app.close()
})
