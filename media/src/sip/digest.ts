import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { readParams, readUri } from './syntax.ts'

export interface Pair {
  username: string
  password: string
}

/** MD5 first: much equipment reads one challenge alone, and knows nothing else. */
const algorithms = { MD5: 'md5', 'SHA-256': 'sha256' } as const
type Algorithm = keyof typeof algorithms

const isAlgorithm = (name: string): name is Algorithm => name in algorithms

export interface Digested {
  algorithm: Algorithm
  realm: string
  nonce: string
  method: string
  uri: string
  /** Null for the old form without `qop`. */
  counted: { nc: string; cnonce: string } | null
}

export function digest({ algorithm, realm, nonce, method, uri, counted }: Digested, pair: Pair): string {
  const hash = (text: string) => createHash(algorithms[algorithm]).update(text).digest('hex')
  const secret = hash(`${pair.username}:${realm}:${pair.password}`)
  const middle = counted ? `${counted.nc}:${counted.cnonce}:auth:` : ''
  return hash(`${secret}:${nonce}:${middle}${hash(`${method}:${uri}`)}`)
}

const algorithmOf = (said: string | undefined): Algorithm | null => {
  const name = (said ?? 'MD5').toUpperCase()
  return isAlgorithm(name) ? name : null
}

const realm = 'switchroom'
const nonceLifetimeMs = 60_000
const mostCounted = 20_000

export type Proof = 'proven' | 'missing' | 'stale' | 'wrong'

/** Asks peers to prove that they know a pair. A nonce carries its own time and seal, so that none is kept. */
export class DigestServer {
  readonly #key = randomBytes(32)
  /** The highest count seen of a nonce: what was sent once opens nothing twice. */
  readonly #counts = new Map<string, number>()

  challenges(source: string, isStale: boolean): string[] {
    const nonce = this.#nonce(
      `${Date.now().toString(16).padStart(12, '0')}${randomBytes(8).toString('hex')}`,
      source,
    )
    return Object.keys(algorithms).map(
      (algorithm) =>
        `Digest realm="${realm}", nonce="${nonce}", algorithm=${algorithm}, qop="auth"${isStale ? ', stale=true' : ''}`,
    )
  }

  prove(authorization: string | undefined, method: string, uri: string, source: string, pair: Pair): Proof {
    if (!authorization || !/^digest\s/i.test(authorization)) return 'missing'
    const said = readParams(authorization.slice(7), ',')
    const get = (name: string) => said.get(name) ?? ''
    const algorithm = algorithmOf(said.get('algorithm'))
    const nonce = get('nonce')
    if (!algorithm || get('realm') !== realm) return 'missing'
    if (get('username') !== pair.username || !isForSame(get('uri'), uri)) return 'wrong'
    const counted = said.has('qop') ? { nc: get('nc'), cnonce: get('cnonce') } : null
    if (counted && (get('qop') !== 'auth' || !/^[0-9a-f]{8}$/i.test(counted.nc))) return 'wrong'
    const asked = { algorithm, realm, nonce, method, uri: get('uri'), counted }
    if (!isSame(digest(asked, pair), get('response').toLowerCase())) return 'wrong'
    const madeAtMs = Number.parseInt(nonce.slice(0, 12), 16)
    const isOurs = isSame(this.#nonce(nonce.slice(0, 28), source), nonce)
    if (!isOurs || Date.now() - madeAtMs > nonceLifetimeMs) return 'stale'
    // The old form has no count: its nonce serves once.
    const count = counted ? Number.parseInt(counted.nc, 16) : 1
    return this.#isCountedUp(nonce, count) ? 'proven' : 'stale'
  }

  /** What is sealed is the time, and a few digits that distinguish calls at the same time. */
  #nonce(sealed: string, source: string): string {
    return sealed + createHmac('sha256', this.#key).update(`${sealed} ${source}`).digest('hex').slice(0, 40)
  }

  #isCountedUp(nonce: string, count: number): boolean {
    if (count <= (this.#counts.get(nonce) ?? 0)) return false
    this.#counts.delete(nonce)
    this.#counts.set(nonce, count)
    if (this.#counts.size > mostCounted) this.#counts.delete(this.#counts.keys().next().value ?? nonce)
    return true
  }
}

/** What was proven may name the server alone, and never another number. */
function isForSame(said: string, uri: string): boolean {
  const [one, other] = [readUri(said), readUri(uri)]
  return one !== null && (one.user === '' || one.user === other?.user)
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** Answers the far end's challenges; null when it asks for what is not known here. */
export function answerChallenge(
  challenges: readonly string[],
  method: string,
  uri: string,
  pair: Pair,
): string | null {
  // The stronger one if both are asked for.
  const strongest = challenges.toSorted(
    (one, other) => Number(/sha-256/i.test(other)) - Number(/sha-256/i.test(one)),
  )
  for (const challenge of strongest) {
    if (!/^digest\s/i.test(challenge)) continue
    const said = readParams(challenge.slice(7), ',')
    const algorithm = algorithmOf(said.get('algorithm'))
    const [nonce, asked] = [said.get('nonce'), said.get('realm')]
    const qops = said
      .get('qop')
      ?.split(',')
      .map((word) => word.trim().toLowerCase())
    if (!algorithm || nonce === undefined || asked === undefined || (qops && !qops.includes('auth'))) continue
    const counted = qops ? { nc: '00000001', cnonce: randomBytes(12).toString('hex') } : null
    const response = digest({ algorithm, realm: asked, nonce, method, uri, counted }, pair)
    const opaque = said.get('opaque')
    return [
      `Digest username=${quoted(pair.username)}`,
      `realm=${quoted(asked)}`,
      `nonce=${quoted(nonce)}`,
      `uri=${quoted(uri)}`,
      `response="${response}"`,
      `algorithm=${algorithm}`,
      ...(counted ? ['qop=auth', `nc=${counted.nc}`, `cnonce="${counted.cnonce}"`] : []),
      ...(opaque === undefined ? [] : [`opaque=${quoted(opaque)}`]),
    ].join(', ')
  }
  return null
}

const quoted = (text: string) => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`

export const isStale = (challenges: readonly string[]): boolean =>
  challenges.some((challenge) => readParams(challenge.slice(7), ',').get('stale')?.toLowerCase() === 'true')
