import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair } from 'jose'
import { Provider, type Configuration } from 'oidc-provider'
import { Agent, fetch } from 'undici'
import type { Certificates } from '../certificates.ts'

/** What the provider says of a person. */
export interface Account {
  email: string
  email_verified?: boolean
  name?: string
}

/** A real OpenID Connect provider on loopback; the person it is given signs in without a prompt. */
export interface IdentityProvider extends AsyncDisposable {
  issuer: string
  /** Requests so far, such as `POST /token`. */
  asked: () => string[]
  /** Walks a browser through the sign-in that the address begins, and answers the query it comes back with. */
  signIn: (authorizationAddress: string, account: Account) => Promise<string>
  /** Sends browsers back to this address from now on, as an admin there would allow it. */
  register: (redirectUri: string) => void
}

export const client = { client_id: 'switchroom', client_secret: 'a-secret-of-the-client-0123456789' }
/** The same secret; its id_tokens are signed with ES256. */
export const ellipticClient = { ...client, client_id: 'switchroom-elliptic' }

export async function startIdentityProvider(
  certificates: Certificates,
  host: string,
): Promise<IdentityProvider> {
  const server = createServer(await certificates.serverFor(host))
  const issuer = await listening(server, host)
  const accounts = new Map<string, Account>()
  const asked: string[] = []

  const registered = new Set<string>()
  const provider = new Provider(issuer, await configurationFor(accounts))
  provider.Client.prototype.redirectUriAllowed = (uri) => registered.has(uri)
  const answer = provider.callback()
  const approve = async (request: IncomingMessage, response: ServerResponse) => {
    const { params } = await provider.interactionDetails(request, response)
    const login = { accountId: String(params['login_hint']) }
    await provider.interactionFinished(request, response, { login })
  }
  server.on('request', (request, response) => {
    const [path = ''] = (request.url ?? '').split('?')
    asked.push(`${request.method} ${path}`)
    void (path.startsWith('/interaction/') ? approve(request, response) : answer(request, response))
  })

  const browser = new Agent({
    connect: { ca: certificates.caPem, lookup: (_name, _options, done) => done(null, loopback) },
  })
  return {
    issuer,
    asked: () => [...asked],
    register: (redirectUri) => void registered.add(redirectUri),
    async signIn(authorizationAddress, account) {
      const id = `account-${accounts.size + 1}`
      accounts.set(id, account)
      return walk(browser, `${authorizationAddress}&login_hint=${id}`)
    },
    async [Symbol.asyncDispose]() {
      await browser.destroy()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const loopback = [{ address: '127.0.0.1', family: 4 }]

/** Starts it on loopback and answers the address it is known by. */
export async function listening(server: Server, host: string): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `https://${host}:${(server.address() as AddressInfo).port}`
}

async function configurationFor(accounts: Map<string, Account>): Promise<Configuration> {
  const keys = await Promise.all(
    ['RS256', 'ES256'].map(async (alg) => {
      const { privateKey } = await generateKeyPair(alg, { extractable: true })
      return { ...(await exportJWK(privateKey)), alg, use: 'sig', kid: alg }
    }),
  )
  const usual = { redirect_uris: ['https://switchroom.test/'], grant_types: ['authorization_code'] }
  return {
    clients: [
      { ...client, ...usual, id_token_signed_response_alg: 'RS256' },
      { ...ellipticClient, ...usual, id_token_signed_response_alg: 'ES256' },
    ],
    jwks: { keys },
    cookies: { keys: ['of-the-tests'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    conformIdTokenClaims: false,
    ttl: {
      AccessToken: 300,
      AuthorizationCode: 60,
      Grant: 300,
      IdToken: 300,
      Interaction: 300,
      Session: 300,
    },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
    findAccount: (_context, id) => ({
      accountId: id,
      claims: () => ({ sub: id, ...accounts.get(id) }),
    }),
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client?.clientId ?? '',
        accountId: oidc.session?.accountId ?? '',
      })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
  }
}

/** Follows redirects with cookies until one leaves the provider. */
async function walk(dispatcher: Agent, from: string): Promise<string> {
  const cookies = new Map<string, string>()
  let address = new URL(from)
  const home = address.origin
  while (address.origin === home) {
    const headers = { cookie: [...cookies].map((pair) => pair.join('=')).join('; ') }
    const answer = await fetch(address, { dispatcher, headers, redirect: 'manual' })
    for (const cookie of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = (cookie.split(';')[0] ?? '').split('=')
      cookies.set(name, value)
    }
    const next = answer.headers.get('location')
    if (next === null) throw new Error(`the provider answered ${answer.status}: ${await answer.text()}`)
    address = new URL(next, address)
  }
  return address.search
}
