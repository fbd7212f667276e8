import type { Operations } from './operation.ts'
import { done } from '../../agents/test-agents.ts'
import type { Round } from '../race-round.ts'

export const agentOperations: Operations = {
  'PUT /v1/agents/:agent/settings': async (round) => {
    const slug = await round.agent()
    const body = { config: { max_duration_s: 90 }, if_version: 3 }
    return ({ live }) => live.put(`/v1/agents/${slug}/settings`, body)
  },
  'PUT /v1/agents/:agent/settings of a new agent': async (round) => {
    const body = { config: { max_duration_s: 90 }, if_version: 0 }
    return ({ live }) => live.put(`/v1/agents/${round.name('new')}/settings`, body)
  },
  'POST /v1/agents/:agent/settings/rollback': async (round) => {
    const slug = await round.agent()
    return ({ live }) => live.post(`/v1/agents/${slug}/settings/rollback`, { version: 1 })
  },
  'PUT /v1/agents/:agent/settings/canary': async (round) => {
    const slug = await round.agent()
    return ({ live }) => live.put(`/v1/agents/${slug}/settings/canary`, { version: 2, share: 5 })
  },
  'DELETE /v1/agents/:agent/settings/canary': async (round) => {
    const slug = await round.agent()
    return ({ live }) => live.delete(`/v1/agents/${slug}/settings/canary`)
  },
  'PUT /v1/agents/:agent/lexicon': async (round) => {
    const slug = await round.agent()
    const body = { lexicon: { said: [], heard: ['Ximena'] }, if_version: 0 }
    return ({ live }) => live.put(`/v1/agents/${slug}/lexicon`, body)
  },
  'PUT /v1/org/judging': async (round) => {
    await round.once('key of the judge', () => bringKey(round))
    return ({ admin }) => admin.put('/v1/org/judging', { judge: `mind/model-${round.id}` })
  },
  'GET /v1/agents/:agent/config of a new call and agent': async (round) => {
    const path = `/v1/agents/${round.name('new')}/config?for_call=${round.name('call')}`
    return ({ fleet }) => fleet.with({ 'svc-org': round.org.org.slug }).in('production').get(path)
  },
  'GET /v1/agents/:agent/provider-keys of a new call': async (round) => {
    const slug = await round.agent()
    const path = `/v1/agents/${slug}/provider-keys?for_call=${round.name('call-of')}`
    return ({ fleet }) => fleet.with({ 'svc-org': round.org.org.slug }).in('production').get(path)
  },
  'PUT /v1/provider-keys/:vendor': async () => {
    return ({ admin }) => admin.put('/v1/provider-keys/mind', { key: 'sk-brought-0123456789' })
  },
  'DELETE /v1/provider-keys/:vendor': async (round) => {
    await round.once('key of the judge', () => bringKey(round))
    return ({ admin }) => admin.delete('/v1/provider-keys/mind')
  },
  'PUT /api/credentials': async () => {
    const body = { provider: 'mind', apiKey: 'sk-saved-0123456789' }
    return ({ dashboard }) => dashboard.put('/api/credentials', body)
  },
  'POST /v1/model-endpoints': async (round) => {
    return ({ admin }) => admin.post('/v1/model-endpoints', round.endpointOf(round.name('other')))
  },
  'PATCH /v1/model-endpoints/:name': async (round) => {
    const name = await round.modelEndpoint()
    return ({ admin }) => admin.patch(`/v1/model-endpoints/${name}`, { wire: 'responses' })
  },
  'DELETE /v1/model-endpoints/:name': async (round) => {
    const name = await round.modelEndpoint()
    return ({ admin }) => admin.delete(`/v1/model-endpoints/${name}`)
  },
  'POST /v1/model-endpoints/:name/try': async (round) => {
    const name = await round.modelEndpoint()
    return ({ admin }) => admin.post(`/v1/model-endpoints/${name}/try`)
  },
}

const bringKey = async (round: Round) =>
  done(await round.site.admin.put('/v1/provider-keys/mind', { key: 'sk-brought-0123456789' }))
