import { done } from '../../agents/test-agents.ts'
import type { Round } from '../race-round.ts'
import type { Operations } from './operation.ts'

const at = '/v1/evals'

const definition = {
  name: 'raced',
  turns: [{ say: 'Hello' }],
  expect: [{ ended_by: 'caller' }],
}

/** The one scenario of the agent; orgs are used for many rounds. */
const scenario = (round: Round) =>
  round.once('scenario', async () => {
    const { admin } = round.site
    const { scenarios } = done(await admin.get(`${at}/scenarios?agent=desk`))
    if (scenarios.length > 0) return scenarios[0].id as string
    return done(await admin.post(`${at}/scenarios`, { agent: 'desk', ...definition })).id as string
  })

/** A run that nothing else of the round has room beside. */
const run = (round: Round) =>
  round.once('eval run', async () => {
    const { admin } = round.site
    const { runs } = done(await admin.get(`${at}/runs`))
    for (const { id, state } of runs) if (state === 'running') await admin.post(`${at}/runs/${id}/cancel`)
    const unfinished = { ...definition, turns: [{ say: 'Hello' }, { wait_s: 600 }] }
    const wanted = { agent: 'desk', definitions: [unfinished] }
    return done(await admin.post(`${at}/runs`, wanted)).id as string
  })

export const evalOperations: Operations = {
  'POST /v1/evals/scenarios': async () => {
    return ({ admin }) => admin.post(`${at}/scenarios`, { agent: 'desk', ...definition })
  },
  'PUT /v1/evals/scenarios/:id': async (round) => {
    const id = await scenario(round)
    return ({ admin }) => admin.put(`${at}/scenarios/${id}`, definition)
  },
  'DELETE /v1/evals/scenarios/:id': async (round) => {
    const id = await scenario(round)
    return ({ admin }) => admin.delete(`${at}/scenarios/${id}`)
  },
  'POST /v1/evals/runs': async () => {
    return ({ admin }) => admin.post(`${at}/runs`, { agent: 'desk', definitions: [definition] })
  },
  'POST /v1/evals/runs/:id/cancel': async (round) => {
    const id = await run(round)
    return ({ admin }) => admin.post(`${at}/runs/${id}/cancel`)
  },
}
