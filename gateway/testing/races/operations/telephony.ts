import { express } from '../../telephony/consent-fixture.ts'
import { done } from '../../agents/test-agents.ts'
import { pageKey, pageOrigin } from '../../telephony/page-keys.ts'
import type { Operations } from './operation.ts'

export const telephonyOperations: Operations = {
  'PUT /v1/carrier': async (round) => {
    const username = await round.peer()
    const body = { ...round.peerOf(username), password: `another word ${round.id}` }
    return ({ admin }) => admin.put('/v1/carrier', body)
  },
  'PUT /v1/carrier of a new account': async (round) => {
    return ({ admin }) => admin.put('/v1/carrier', round.peerOf(round.name('fresh')))
  },
  'DELETE /v1/carrier': async (round) => {
    const account = await round.peer()
    return ({ admin }) => admin.delete(`/v1/carrier?account=${account}`)
  },
  'POST /v1/carrier/outbound': async (round) => {
    const { account_sid } = await round.apiAccount()
    return ({ admin }) => admin.post(`/v1/carrier/outbound?account=${account_sid}`)
  },
  'POST /v1/carrier/test': async (round) => {
    const account = await round.peer()
    return ({ admin }) => admin.post(`/v1/carrier/test?account=${account}`, {})
  },
  'POST /v1/numbers': async (round) => {
    const account = await round.peer()
    const body = { number: `${round.number}9`, agent: 'desk', account }
    return ({ admin }) => admin.post('/v1/numbers', body)
  },
  'POST /v1/numbers that is routed': async (round) => {
    const number = await round.routed()
    const body = { number, agent: round.name('other'), account: await round.peer() }
    return ({ admin }) => admin.post('/v1/numbers', body)
  },
  'POST /v1/numbers that is hooked': async (round) => {
    const number = await round.hooked()
    const body = { number, agent: round.name('other'), hooked: true }
    return ({ admin }) => admin.post('/v1/numbers', body)
  },
  'POST /v1/numbers/buy': async (round) => {
    const { forSale } = round.world.servers.carrier
    forSale.set('US', [...(forSale.get('US') ?? []), `+1205${String(round.id).padStart(7, '0')}`])
    return ({ admin }) => admin.post('/v1/numbers/buy', { country: 'US', agent: 'desk' })
  },
  'PUT /v1/numbers/:number/env': async (round) => {
    const number = await round.routed()
    return ({ admin }) => admin.put(`/v1/numbers/${number}/env`, { env: 'production' })
  },
  'PUT /v1/numbers/:number/fallbacks': async (round) => {
    const number = await round.routed()
    return ({ admin }) => admin.put(`/v1/numbers/${number}/fallbacks`, { accounts: ['peer'] })
  },
  'DELETE /v1/numbers/:number': async (round) => {
    const number = await round.routed()
    return ({ admin }) => admin.delete(`/v1/numbers/${number}`)
  },
  'POST /v1/ops/numbers': async (round) => {
    const number = await round.routed()
    const body = { org: round.org.org.slug, number, agent: 'desk', env: 'sandbox' }
    return ({ operator }) => operator.post('/v1/ops/numbers', body)
  },
  'POST /v1/ops/numbers/:number/approve': async (round) => {
    const number = await round.hooked()
    return ({ operator }) => operator.post(`/v1/ops/numbers/${number}/approve`)
  },
  'POST /v1/ops/networks/:id/approve': async (round) => {
    const id = await round.network()
    return ({ operator }) => operator.post(`/v1/ops/networks/${id}/approve`)
  },
  'POST /v1/ops/networks/:id/refuse': async (round) => {
    const id = await round.network()
    return ({ operator }) => operator.post(`/v1/ops/networks/${id}/refuse`)
  },
  'PUT /v1/org/policy': async (round) => {
    return ({ admin }) => admin.put('/v1/org/policy', { per_day: 1000 + (round.id % 1000) })
  },
  'POST /v1/org/consents': async ({ contact: number }) => {
    return ({ admin }) => admin.post('/v1/org/consents', { number, ...express })
  },
  'DELETE /v1/org/consents/:number': async ({ contact }) => {
    return ({ admin }) => admin.delete(`/v1/org/consents/${contact}`)
  },
  'POST /v1/org/dnc': async ({ contact, number }) => {
    return ({ admin }) => admin.post('/v1/org/dnc', { source: 'a list', numbers: [number, contact] })
  },
  'POST /v1/agents/:agent/dial': async (round) => {
    const to = await round.known()
    return ({ admin }) => admin.post('/v1/agents/desk/dial', { to })
  },
  'POST /v1/agents/:agent/cold-transfer': async (round) => {
    const [to, call] = [await round.known(), await round.spoken()]
    const query = new URLSearchParams({ to, call }).toString()
    return ({ admin }) => admin.post(`/v1/agents/desk/cold-transfer?${query}`)
  },
  'POST /v1/worker/placements': async () => {
    return ({ fleet }) => fleet.post('/v1/worker/placements', { worker: 'races', wait_s: 0, tests: true })
  },
  'POST /v1/worker/placements/:call': async (round) => {
    const { call, worker } = await round.dialled()
    return ({ fleet }) => fleet.post(`/v1/worker/placements/${call}`, { worker, outcome: 'answered' })
  },
  'POST /v1/worker/beats': async () => {
    const beat = { worker: 'races', env: 'sandbox', calls: 1, capacity: 4, draining: false }
    return ({ fleet }) => fleet.post('/v1/worker/beats', beat)
  },
  'POST /v1/worker/registrations': async (round) => {
    await round.routed()
    const body = { worker: 'races', env: 'sandbox', registrations: [] }
    return ({ fleet }) => fleet.post('/v1/worker/registrations', body)
  },
  'POST /v1/tokens': async () => {
    return ({ admin }) => admin.post('/v1/tokens', { agent: 'desk' })
  },
  'POST /v1/publishable-keys': async (round) => {
    return ({ admin }) => admin.post('/v1/publishable-keys', pageKey(round.name('page')))
  },
  'POST /v1/publishable-keys/:id/revoke': async (round) => {
    const { id } = await round.pageKey()
    return ({ admin }) => admin.post(`/v1/publishable-keys/${id}/revoke`)
  },
  'POST /v1/page/tokens': async (round) => {
    const { key } = await round.pageKey()
    return (site) => site.as(key).with({ origin: pageOrigin }).post('/v1/page/tokens', {})
  },
  'POST /v1/page/tokens of a chat': async (round) => {
    const { key } = await round.pageKey()
    return (site) => site.as(key).with({ origin: pageOrigin }).post('/v1/page/tokens', { channel: 'chat' })
  },
  'POST /v1/rtc': async (round) => {
    const { token } = await round.browser()
    return (site) => site.as(token).post('/v1/rtc', { sdp: 'v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\n' })
  },
  'POST /v1/rtc/hangup': async (round) => {
    const { token } = await round.browser()
    const beacon = { method: 'POST', headers: { 'content-type': 'text/plain' }, body: token }
    return (site) => site.as(token).raw('/v1/rtc/hangup', beacon)
  },
  'GET /v1/agents/:agent/outbound-trunk': async (round) => {
    const [to, call] = [await round.known(), await round.spoken()]
    const query = new URLSearchParams({ to, call }).toString()
    return ({ fleet }) => fleet.get(`/v1/agents/desk/outbound-trunk?${query}`)
  },
  'DELETE /v1/contacts/:contact': async (round) => {
    await round.once('calls of the contact', async () => {
      await round.spoken()
      await round.opened()
      done(await round.site.admin.post('/v1/org/consents', { number: round.contact, ...express }))
    })
    return ({ admin }) => admin.delete(`/v1/contacts/${encodeURIComponent(round.contact)}`)
  },
}
