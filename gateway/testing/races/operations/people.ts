import { password } from '../../deployment.ts'
import { client as ssoClient } from '../../people/identity-provider.ts'
import { Browser } from '../../people/sso.ts'
import { done } from '../../agents/test-agents.ts'
import type { Round } from '../race-round.ts'
import type { Operations } from './operation.ts'

export const peopleOperations: Operations = {
  'POST /v1/members': async ({ email }) => {
    return ({ admin }) => admin.post('/v1/members', { email, role: 'qa', name: 'Ana' })
  },
  'PATCH /v1/members/:id': async (round) => {
    const { id } = await round.person()
    return ({ admin }) => admin.patch(`/v1/members/${id}`, { role: 'manager' })
  },
  'PATCH /v1/members/:id of an invited': async (round) => {
    const { id } = await round.invited()
    return ({ admin }) => admin.patch(`/v1/members/${id}`, { role: 'manager' })
  },
  'DELETE /v1/members/:id': async (round) => {
    const { id } = await round.person()
    return ({ admin }) => admin.delete(`/v1/members/${id}`)
  },
  'DELETE /v1/members/:id of an invited': async (round) => {
    const { id } = await round.invited()
    return ({ admin }) => admin.delete(`/v1/members/${id}`)
  },
  'POST /v1/members/:id/reset': async (round) => {
    const { id } = await round.person()
    return ({ admin }) => admin.post(`/v1/members/${id}/reset`)
  },
  'POST /v1/invitations/:token': async (round) => {
    const { token } = await round.invited()
    return ({ anonymous }) => anonymous.post(`/v1/invitations/${token}`, { password })
  },
  'POST /v1/invitations/:token of a reset': async (round) => {
    const token = await round.reset()
    return ({ anonymous }) => anonymous.post(`/v1/invitations/${token}`, { password: `${password} again` })
  },
  'POST /v1/login': async (round) => {
    const { email } = await round.person()
    return ({ anonymous }) => anonymous.post('/v1/login', { email, password })
  },
  'POST /v1/login by a code': async (round) => {
    const code = await round.loginCode()
    return ({ anonymous }) => anonymous.post('/v1/login', { code })
  },
  'POST /v1/login/codes': async (round) => {
    const { key } = await round.person()
    return (site) => site.as(key).post('/v1/login/codes')
  },
  'POST /v1/login/reset': async (round) => {
    const { email } = await round.person()
    return ({ anonymous }) => anonymous.post('/v1/login/reset', { email })
  },
  'POST /v1/login/org': async (round) => {
    const { email, key } = await round.person()
    const { slug } = round.org.elsewhere
    await round.once('invited elsewhere', () => round.org.elsewhere.invite(email, 'qa'))
    return (site) => site.as(key).post('/v1/login/org', { org: slug })
  },
  'POST /v1/login/pairings': async () => {
    return ({ anonymous }) => anonymous.post('/v1/login/pairings', { device: 'box' })
  },
  'POST /v1/login/pairings/:code': async (round) => {
    const [{ key }, code] = [await round.person(), await round.pairing()]
    return (site) => site.as(key).post(`/v1/login/pairings/${code}`, {})
  },
  'GET /v1/login/pairings/:code/key': async (round) => {
    const code = await round.approvedPairing()
    return ({ anonymous }) => anonymous.get(`/v1/login/pairings/${code}/key`)
  },
  'POST /v1/signup': async (round) => {
    const body = { org: round.name('signing-up'), email: round.email, password }
    return (site) => round.fromAnywhere(site).post('/v1/signup', body)
  },
  'POST /v1/signup/resend': async (round) => {
    const { email } = await round.signUp()
    return (site) => round.fromAnywhere(site).post('/v1/signup/resend', { email })
  },
  'POST /v1/signup/verify': async (round) => {
    const { email, code } = await round.signUp()
    return (site) => round.fromAnywhere(site).post('/v1/signup/verify', { email, code })
  },
  'POST /v1/keys': async (round) => {
    const { key } = await round.person()
    return (site) => site.as(key).post('/v1/keys', { label: 'ci', env: 'sandbox', scopes: ['calls'] })
  },
  'POST /v1/keys/:fingerprint/revoke': async (round) => {
    const { key_id } = await round.key()
    return ({ admin }) => admin.post(`/v1/keys/${key_id}/revoke`)
  },
  'PUT /v1/org/sso': async (round) => {
    const body = ssoOf(round)
    return ({ admin }) => admin.put('/v1/org/sso', body)
  },
  'DELETE /v1/org/sso': async (round) => {
    await round.once('sso', () => setUp(round))
    return ({ admin }) => admin.delete('/v1/org/sso')
  },
  'POST /v1/org/sso/domains/:domain/verify': async (round) => {
    await round.once('sso', () => setUp(round))
    return ({ admin }) => admin.post(`/v1/org/sso/domains/${domainOf(round)}/verify`)
  },
  'GET /v1/login/sso/callback/:org': async (round) => {
    const { browser, query } = await round.once('signed in at the provider', () => signInAtProvider(round))
    return (site) => browser.finish(query, site)
  },
  'PUT /v1/line/from': async (round) => {
    const { key } = await round.person()
    return (site) => site.as(key).put('/v1/line/from', { number: round.phone })
  },
  'PUT /v1/line/from with the code': async (round) => {
    const { key } = await round.person()
    const { phone: number, world } = round
    await round.once('code by text', async () =>
      done(await round.site.as(key).put('/v1/line/from', { number })),
    )
    const text = world.own.texts.findLast(({ to }) => to === number)
    const code = /^\d{6}/.exec(text?.body ?? '')?.[0]
    return (site) => site.as(key).put('/v1/line/from', { number, code })
  },
  'DELETE /v1/line/from': async (round) => {
    const { key } = await round.person()
    return (site) => site.as(key).delete('/v1/line/from')
  },
}

const domainOf = (round: Round) => `${round.name('corp')}.example`

const ssoOf = (round: Round) => ({
  issuer: round.world.servers.provider.issuer,
  ...ssoClient,
  domains: [domainOf(round)],
  role: 'qa',
  required: false,
})

/** A provider whose domain can be proven. */
async function setUp(round: Round) {
  const { proofs, redirect_uri } = done(await round.site.admin.put('/v1/org/sso', ssoOf(round)))
  const { dns, provider } = round.world.servers
  dns.set(domainOf(round), { TXT: [proofs[0].txt] })
  provider.register(redirect_uri)
}

/** A browser that the provider has sent back, and that has not come back yet. */
async function signInAtProvider(round: Round) {
  await round.once('sso', () => setUp(round))
  done(await round.site.admin.post(`/v1/org/sso/domains/${domainOf(round)}/verify`))
  const browser = new Browser(round.site)
  const { href } = await browser.begin(round.org.org.slug)
  const email = `${round.name('ana')}@${domainOf(round)}`
  return { browser, query: await round.world.servers.provider.signIn(href, { email }) }
}
