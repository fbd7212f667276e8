import { done } from '../../agents/test-agents.ts'
import type { Round } from '../race-round.ts'
import type { Operations } from './operation.ts'

const at = '/v1/webhooks'

const wanted = (round: Round) => ({
  url: `http://llm.example.test:${round.world.servers.endpoint.port}/hooks`,
})

/** A webhook of the round's own; room is made for it, because orgs are used for many rounds. */
const webhook = (round: Round) =>
  round.once('webhook', async () => {
    const { admin } = round.site
    const { webhooks } = done(await admin.get(at))
    for (const { id } of webhooks.slice(0, -10)) await admin.delete(`${at}/${id}`)
    return done(await admin.post(at, wanted(round))).id as string
  })

/** One that was given up. */
const given = (round: Round) =>
  round.once('webhook delivery', async () => {
    const id = await webhook(round)
    const { event } = done(await round.site.admin.post(`${at}/${id}/test`))
    await round.world.sql(`update webhook_deliveries set state = 'failed' where event = $1`, [event])
    return { id, event }
  })

export const webhookOperations: Operations = {
  'POST /v1/webhooks': async (round) => {
    return ({ admin }) => admin.post(at, wanted(round))
  },
  'PATCH /v1/webhooks/:id': async (round) => {
    const id = await webhook(round)
    return ({ admin }) => admin.patch(`${at}/${id}`, { description: 'raced' })
  },
  'PATCH /v1/webhooks/:id paused': async (round) => {
    const id = await webhook(round)
    return ({ admin }) => admin.patch(`${at}/${id}`, { paused: true })
  },
  'DELETE /v1/webhooks/:id': async (round) => {
    const id = await webhook(round)
    return ({ admin }) => admin.delete(`${at}/${id}`)
  },
  'POST /v1/webhooks/:id/rotate': async (round) => {
    const id = await webhook(round)
    return ({ admin }) => admin.post(`${at}/${id}/rotate`, {})
  },
  'POST /v1/webhooks/:id/test': async (round) => {
    const id = await webhook(round)
    return ({ admin }) => admin.post(`${at}/${id}/test`)
  },
  'POST /v1/webhooks/:id/redeliver': async (round) => {
    const { id } = await given(round)
    return ({ admin }) => admin.post(`${at}/${id}/redeliver`, {})
  },
  'POST /v1/webhooks/:id/deliveries/:event/redeliver': async (round) => {
    const { id, event } = await given(round)
    return ({ admin }) => admin.post(`${at}/${id}/deliveries/${event}/redeliver`)
  },
}
