import { done } from '../../agents/test-agents.ts'
import type { Round } from '../race-round.ts'
import type { Operations } from './operation.ts'

const at = '/v1/bases'

/** A base of the round's own; those of earlier rounds are removed, because orgs are used for many. */
const base = (round: Round) =>
  round.once('base', async () => {
    const { admin } = round.site
    const { bases } = done(await admin.get(at))
    for (const { base: older } of bases.slice(0, -10)) await admin.delete(`${at}/${older}`)
    return done(await admin.post(at, { base: `b${Date.now().toString(36)}` })).base as string
  })

/** One with an address that nothing answers at, so that it can be fetched again. */
const document = (round: Round) =>
  round.once('document', async () => {
    const path = `${at}/${await base(round)}/documents`
    const wanted = { name: 'raced.md', url: 'https://nothing.example.test/raced.md' }
    return `${path}/${done(await round.site.admin.post(path, wanted)).documents[0].id}`
  })

export const knowledgeOperations: Operations = {
  'POST /v1/bases': async (round) => {
    const other = `${await base(round)}-2`
    return ({ admin }) => admin.post(at, { base: other })
  },
  'PATCH /v1/bases/:base': async (round) => {
    const name = await base(round)
    await document(round)
    return ({ admin }) => admin.patch(`${at}/${name}`, { language: 'de' })
  },
  'DELETE /v1/bases/:base': async (round) => {
    const name = await base(round)
    return ({ admin }) => admin.delete(`${at}/${name}`)
  },
  'POST /v1/bases/:base/documents': async (round) => {
    const name = await base(round)
    return ({ admin }) => admin.post(`${at}/${name}/documents`, { name: 'new.md', text: '# New' })
  },
  'PUT /v1/bases/:base/documents/:document': async (round) => {
    const path = await document(round)
    return ({ admin }) => admin.put(path, { text: '# Replaced' })
  },
  'DELETE /v1/bases/:base/documents/:document': async (round) => {
    const path = await document(round)
    return ({ admin }) => admin.delete(path)
  },
  'POST /v1/bases/:base/documents/:document/refetch': async (round) => {
    const path = await document(round)
    return ({ admin }) => admin.post(`${path}/refetch`)
  },
}
