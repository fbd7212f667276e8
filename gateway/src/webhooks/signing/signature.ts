import { createHmac } from 'node:crypto'

/** What comes before the key's bytes in base64, by the Standard Webhooks specification. */
export const secretPrefix = 'whsec_'

/** The headers by which a receiver verifies a request, in the form of Standard Webhooks. */
export function signedHeaders(secrets: readonly string[], id: string, signedAtS: number, body: string) {
  const signatures = secrets.map((secret) => `v1,${signatureOf(secret, `${id}.${signedAtS}.${body}`)}`)
  return {
    'webhook-id': id,
    'webhook-timestamp': String(signedAtS),
    'webhook-signature': signatures.join(' '),
  }
}

const signatureOf = (secret: string, signed: string) =>
  createHmac('sha256', Buffer.from(secret.slice(secretPrefix.length), 'base64'))
    .update(signed)
    .digest('base64')
