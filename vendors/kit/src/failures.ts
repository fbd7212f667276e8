import type { Credentials } from './vendor.ts'

const mostWords = 300

/**
 * Why a vendor did not do what it was asked. `refused` is an answer that says no; `silent` is no answer: a
 * failed connection, a time-out, a broken stream, a fault on the vendor's side or unreadable bytes.
 */
export class VendorFailure extends Error {
  readonly kind: 'refused' | 'silent'
  /** Of a vendor that was too busy: when it may be asked the same again. */
  readonly retryAfterMs: number | undefined
  /** Of an answer over HTTP. */
  readonly status: number | undefined

  constructor(kind: 'refused' | 'silent', words: string, retryAfterMs?: number, status?: number) {
    super(words)
    this.kind = kind
    this.retryAfterMs = retryAfterMs
    this.status = status
  }
}

export const refused = (words: string) => new VendorFailure('refused', words)
export const silent = (words: string) => new VendorFailure('silent', words)

/** How long to wait for a vendor that is busy and does not say for how long. */
export const usualWaitMs = 500
export const busy = (words: string) => new VendorFailure('silent', words, usualWaitMs)

/** A vendor's own words on one line, without its secrets, and no longer than a person reads. */
export function wordsOf(raw: string, credentials: Credentials): string {
  const line = withoutSecrets(raw, credentials)
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim()
  return line.length > mostWords ? `${line.slice(0, mostWords - 1)}…` : line
}

/** Replaces every credential, however a vendor may have written it back, whole or cut short. */
export function withoutSecrets(text: string, credentials: Credentials): string {
  const forms = formsOf(credentials)
  let written = ''
  for (let at = 0; at < text.length;) {
    const end = endOfSecret(text, at, forms)
    written += end > at ? '***' : text.charAt(at)
    at = Math.max(end, at + 1)
  }
  return written
}

/** This much of a secret's start counts as the secret: vendors quote keys cut short. */
const tellingLength = 8

function formsOf(credentials: Credentials): string[] {
  const secrets = Object.values(credentials).filter((value) => typeof value !== 'boolean')
  const forms = secrets.map(String).flatMap((secret) => {
    const inUrl = encodeURIComponent(secret)
    const inJson = JSON.stringify(secret).slice(1, -1)
    return [
      secret,
      inUrl,
      inUrl.replaceAll(/%../g, (code) => code.toLowerCase()),
      new URLSearchParams([['', secret]]).toString().slice(1),
      inJson,
      inJson.replaceAll('/', String.raw`\/`),
      ...(secret.length < tellingLength ? [] : inBase64(secret)),
    ]
  })
  return [...new Set(forms)].filter((form) => form !== '')
}

/** Also as the end of something longer, such as `name:secret`, where it begins in the middle of three bytes. */
const inBase64 = (secret: string): string[] =>
  [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)])
    const ofSecret = before === 0 ? 0 : before + 1
    return (['base64', 'base64url'] as const).map((alphabet) =>
      bytes
        .toString(alphabet)
        .replace(/(?<!=)=+$/, '')
        .slice(ofSecret),
    )
  })

/** Where the secret ends that begins here; here, if none does. */
function endOfSecret(text: string, at: number, forms: readonly string[]): number {
  let end = at
  let isWhole = false
  for (const form of forms) {
    if (!text.startsWith(form.slice(0, tellingLength), at)) continue
    let same = Math.min(tellingLength, form.length)
    while (same < form.length && text[at + same] === form[same]) same += 1
    if (at + same < end) continue
    isWhole = same === form.length || (isWhole && at + same === end)
    end = at + same
  }
  if (end === at || isWhole) return end
  // written in yet another way, or cut short: the rest of the word may be the rest of the secret
  return end + (/^[^\s"'`,)\]}<>]*/.exec(text.slice(end))?.[0].length ?? 0)
}
