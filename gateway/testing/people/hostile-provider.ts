import { once } from 'node:events'
import { createServer } from 'node:https'
import type { ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { exportJWK, exportSPKI, generateKeyPair, SignJWT, UnsecuredJWT, type JWTPayload } from 'jose'
import type { Certificates } from '../certificates.ts'
import { client, listening } from './identity-provider.ts'

/** A provider that says whatever a test wants it to say: discovery, keys and token endpoint over real https. */
export interface HostileProvider extends AsyncDisposable {
  issuer: string
  /** Fields of the discovery document that are not as they should be. */
  document: Record<string, unknown>
  /** The discovery document as it is answered. */
  described: () => object
  /** Answers discovery in place of the document. */
  discovery: ((response: ServerResponse) => void) | undefined
  /** What the token endpoint hands out. */
  idToken: string
  connections: () => number
  asked: () => string[]
  /** What the last exchange sent. */
  exchanged: () => URLSearchParams
  /** The claims of a good id_token, those named replaced. */
  claims: (nonce: string, others?: object) => JWTPayload
  sign: (claims: JWTPayload, algorithm?: string) => Promise<string>
  /** Signed with the public key as if it were a shared secret. */
  signWithPublicKey: (claims: JWTPayload) => Promise<string>
  unsigned: (claims: JWTPayload) => string
}

export async function startHostileProvider(
  certificates: Certificates,
  host: string,
): Promise<HostileProvider> {
  const keys = await generateKeyPair('RS256', { extractable: true })
  const publicKey = await exportJWK(keys.publicKey)
  const privateKey = await exportJWK(keys.privateKey)
  const publicPem = await exportSPKI(keys.publicKey)
  const server = createServer(await certificates.serverFor(host))
  const issuer = await listening(server, host)
  const asked: string[] = []
  let exchanged = new URLSearchParams()
  let connections = 0

  const provider: HostileProvider = {
    issuer,
    document: {},
    described: () => ({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      id_token_signing_alg_values_supported: ['RS256', 'RS512', 'PS256', 'HS256', 'none'],
      token_endpoint_auth_methods_supported: ['client_secret_post'],
      ...provider.document,
    }),
    discovery: undefined,
    idToken: '',
    connections: () => connections,
    asked: () => [...asked],
    exchanged: () => exchanged,
    claims: (nonce, others = {}) => ({
      iss: issuer,
      aud: client.client_id,
      sub: 'somebody',
      nonce,
      iat: secondsFromNow(0),
      exp: secondsFromNow(300),
      email_verified: true,
      ...others,
    }),
    sign: (claims, alg = 'RS256') =>
      new SignJWT(claims).setProtectedHeader({ alg, kid: 'one' }).sign(privateKey),
    signWithPublicKey: (claims) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'one' }).sign(Buffer.from(publicPem)),
    unsigned: (claims) => new UnsecuredJWT(claims).encode(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }

  server.on('connection', () => (connections += 1))
  server.on('request', (request, response) => {
    asked.push(`${request.method} ${request.url}`)
    const answer = (body: object) =>
      response.setHeader('content-type', 'application/json').end(JSON.stringify(body))
    if (request.url === '/keys') return void answer({ keys: [{ ...publicKey, kid: 'one', use: 'sig' }] })
    if (request.url === '/token')
      return void text(request).then((body) => {
        exchanged = new URLSearchParams(body)
        return answer({ access_token: 'opaque', token_type: 'Bearer', id_token: provider.idToken })
      })
    if (request.url === '/fails') return void response.writeHead(400).end('{"error":"invalid_grant"}')
    if (request.url === '/moved') return void response.writeHead(307, { location: `${issuer}/token` }).end()
    if (provider.discovery) return provider.discovery(response)
    answer(provider.described())
  })
  return provider
}

export const secondsFromNow = (seconds: number) => Math.floor(Date.now() / 1000) + seconds
