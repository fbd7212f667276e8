import { done } from '../../agents/test-agents.ts'
import { noLimit } from '../../deployment.ts'
import type { Round } from '../race-round.ts'
import type { Operations } from './operation.ts'

const mailboxOf = ({ id }: Round) => ({
  host: `mail-${id}.acme.example`,
  port: 587,
  security: 'starttls',
  username: 'acme',
  password: 'word of the mailbox',
  from: 'org@example.com',
})

export const platformOperations: Operations = {
  'PUT /v1/org/mail': async (round) => {
    return ({ admin }) => admin.put('/v1/org/mail', mailboxOf(round))
  },
  'DELETE /v1/org/mail': async (round) => {
    await round.once('mailbox', async () =>
      done(await round.site.admin.put('/v1/org/mail', mailboxOf(round))),
    )
    return ({ admin }) => admin.delete('/v1/org/mail')
  },
  'PUT /v1/ops/mail': async (round) => {
    return ({ operator }) => operator.put('/v1/ops/mail', mailboxOf(round))
  },
  'DELETE /v1/ops/mail': async (round) => {
    await round.once("platform's mailbox", async () =>
      done(await round.site.operator.put('/v1/ops/mail', mailboxOf(round))),
    )
    return ({ operator }) => operator.delete('/v1/ops/mail')
  },
  'POST /v1/ops/orgs': async (round) => {
    return ({ operator }) => operator.post('/v1/ops/orgs', { slug: round.name('made') })
  },
  'PUT /v1/ops/orgs/:org/quotas': async (round) => {
    const quotas = { ...noLimit, seats: 100_000, agents: 100_000, concurrent_calls: 100_000 }
    return ({ operator }) => operator.put(`/v1/ops/orgs/${round.org.org.slug}/quotas`, quotas)
  },
  'PUT /v1/ops/orgs/:org/account': async (round) => {
    const account = { plan: 'pro', subscribed: true, credits: 1_000_000 }
    return ({ operator }) => operator.put(`/v1/ops/orgs/${round.org.org.slug}/account`, account)
  },
  'PUT /v1/ops/orgs/:org/dialling': async (round) => {
    const limits = { per_minute: 1000, per_day: 10_000 }
    return ({ operator }) => operator.put(`/v1/ops/orgs/${round.org.org.slug}/dialling`, limits)
  },
  'POST /v1/ops/orgs/:org/members': async (round) => {
    const body = { email: round.email, role: 'qa' }
    return ({ operator }) => operator.post(`/v1/ops/orgs/${round.org.org.slug}/members`, body)
  },
  'POST /v1/ops/orgs/:org/members elsewhere': async (round) => {
    const { email } = await round.person()
    const body = { email, role: 'qa' }
    return ({ operator }) => operator.post(`/v1/ops/orgs/${round.org.elsewhere.slug}/members`, body)
  },
  'DELETE /v1/ops/orgs/:org/members/:id': async (round) => {
    const { id } = await round.person()
    return ({ operator }) => operator.delete(`/v1/ops/orgs/${round.org.org.slug}/members/${id}`)
  },
  'PUT /v1/ops/orgs/:org/members/:id/operator': async (round) => {
    const { id } = await round.person()
    const path = `/v1/ops/orgs/${round.org.org.slug}/members/${id}/operator`
    return ({ operator }) => operator.put(path, { operator: true })
  },
  'POST /v1/ops/orgs/:org/keys': async (round) => {
    const body = { label: 'fleet', env: 'sandbox' }
    return ({ operator }) => operator.post(`/v1/ops/orgs/${round.org.org.slug}/keys`, body)
  },
  'PUT /v1/ops/brand': async (round) => {
    return ({ operator }) => operator.put('/v1/ops/brand', { name: round.name('Acme') })
  },
  'PUT /v1/ops/providers': async (round) => {
    const row = done(await round.site.operator.get('/v1/ops/providers'))
    return ({ operator }) => operator.put('/v1/ops/providers', row)
  },
  'POST /v1/ops/retention': async () => {
    return ({ operator }) => operator.post('/v1/ops/retention')
  },
  'POST /v1/ops/vault/rotate': async () => {
    return ({ operator }) => operator.post('/v1/ops/vault/rotate')
  },
}
