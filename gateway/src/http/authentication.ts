import type { FastifyRequest } from 'fastify'
import { environments, scopes, scopesOfRole, type Environment } from '@switchroom/contract/scopes'
import { clientAddressIn } from '@switchroom/process/client-address'
import type { Caller, Operator } from '../foundation/caller.ts'
import type { Clock } from '../foundation/clock.ts'
import { badRequest, forbidden, notFound, Refusal, unauthorized } from '../foundation/refusals.ts'
import { isSameSecret } from '../foundation/secrets.ts'
import type { Settings } from '../foundation/settings.ts'
import type { Database } from '../database/database.ts'
import { refuseUnlessAllowed, type Access } from './access.ts'
import * as store from './authentication.store.ts'
import { KeyLookups } from './key-lookups.ts'
import { chatTokenPrefix, ChatTokens } from './chat-tokens.ts'
import { logTokenPrefix, LogTokens } from './log-tokens.ts'

type Headers = FastifyRequest['headers']

/** Something a key opened, and what its route asks of a key. */
export interface Opened {
  readonly caller: Caller
  readonly access: Access
}

/** A key, and whose it is. */
export type LivingKey = Pick<Caller, 'key_id' | 'org' | 'slug' | 'env'>

const noKey = () => unauthorized('this door takes an API key', 'MISSING_KEY')
/** The platform's own key names no person. */
const platformKey = {
  kind: 'operator',
  org: null,
  key_id: null,
  subject: null,
  name: null,
  email: null,
  visiting: false,
} as const
const opensNothing = () => unauthorized('this key opens nothing')

/** Finds out who is calling: the key by its digest, the person's role and switches from their member row. */
export class Authentication {
  readonly #database: Database
  readonly #clock: Clock
  readonly #keyLookups: KeyLookups
  readonly #operatorKey: string | undefined
  readonly #signUp: { isOpen: boolean; key: string | undefined }
  readonly #recording = new Map<string, Promise<unknown>>()
  readonly logTokens: LogTokens
  readonly chatTokens: ChatTokens

  constructor(
    database: Database,
    clock: Clock,
    settings: Pick<Settings, 'operatorKey' | 'signup' | 'signupKey'>,
  ) {
    this.#database = database
    this.#clock = clock
    this.#keyLookups = new KeyLookups(database, clock)
    this.logTokens = new LogTokens(database, clock)
    this.chatTokens = new ChatTokens(database, clock)
    this.#operatorKey = settings.operatorKey
    this.#signUp = { isOpen: settings.signup, key: settings.signupKey }
  }

  get isOperatorDoorOpen() {
    return this.#operatorKey !== undefined
  }

  async caller(headers: Headers, from = ''): Promise<Caller> {
    const key = await this.#liveKey(bearerOf(headers))
    return actingIn(environmentNamed(headers), key, from)
  }

  /** The caller who opened each, as of now; the refusal if its key no longer opens it. */
  async again(opened: readonly Opened[]): Promise<(Caller | Refusal)[]> {
    const ids = new Set(opened.map(({ caller }) => caller.key_id))
    const keys = await store.findKeys(this.#database, [...ids], this.#clock.now())
    const byId = new Map(keys.map((key) => [key.id, key]))
    const tokens = opened.filter(({ caller }) => caller.kind === 'token').map(({ caller }) => caller.key_id)
    const readers = tokens.length === 0 ? new Map<string, Caller>() : await this.logTokens.again(tokens)
    return opened.map((one) => {
      const { kind, key_id } = one.caller
      if (kind === 'fleet' || kind === 'participant') return one.caller // a participant's stream ends with its call
      return kind === 'token' ? (readers.get(key_id) ?? opensNothing()) : judgedAgain(one, byId.get(key_id))
    })
  }

  /** Of these keys the ones that are alive, whatever each opens. */
  async living(ids: readonly string[]): Promise<LivingKey[]> {
    const keys = await store.findKeys(this.#database, ids, this.#clock.now())
    return keys
      .filter((key) => isAlive(key) && key.expired_at === null)
      .map((key) => ({ ...keyPart(key), env: key.env }))
  }

  /** The platform's own key opens the operator's endpoints and nothing else. */
  async operator(headers: Headers, from = ''): Promise<Operator> {
    const bearer = bearerOf(headers)
    if (this.#operatorKey !== undefined && isSameSecret(bearer, this.#operatorKey)) {
      environmentNamed(headers)
      return { ...platformKey, from }
    }
    const caller = actingIn(environmentNamed(headers), await this.#liveKey(bearer), from)
    if (!caller.operator) throw forbidden("this door is the operator's")
    const { org, key_id, subject, name, email } = caller
    return { kind: 'operator', org, key_id, subject, name, email, visiting: false, from }
  }

  /** Sign-up has a switch of its own and, if a page is in front of it, that page's key. */
  refuseSignUp(headers: Headers) {
    const { isOpen, key } = this.#signUp
    if (!isOpen) throw notFound('sign-up is shut on this deployment: the operator opens it with SVC_SIGNUP')
    if (key === undefined) return
    const bearer = presentedBearer(headers)
    if (bearer === undefined || !isSameSecret(bearer, key))
      throw unauthorized('sign-up takes the key of the page in front')
  }

  /** The page in front names the client it asks for; without its key that header is never believed. */
  signUpAddress(headers: Headers, clientAddress: string): string {
    const client = headers['x-svc-client']
    return this.#signUp.key === undefined || typeof client !== 'string'
      ? clientAddress
      : (clientAddressIn(client) ?? clientAddress)
  }

  /** Uses of keys that are still being written down. */
  async settled() {
    await Promise.allSettled(this.#recording.values())
  }

  async #liveKey(bearer: string): Promise<store.PresentedKey> {
    const key = await this.#keyLookups.find(bearer)
    if (!key || !isAlive(key)) throw opensNothing()
    if (key.expired_at !== null) throw unauthorized(`this key expired at ${key.expired_at}`)
    if (key.is_use_due) this.#recordUse(key, this.#clock.now())
    return key
  }

  /** Written at the first use and then at most once a minute, off the request's path. */
  #recordUse(key: store.PresentedKey, now: Date) {
    if (this.#recording.has(key.id)) return
    const recording = store
      .keyUsed(this.#database, key.id, now)
      .catch(() => {}) // the next use writes it
      .finally(() => this.#recording.delete(key.id))
    this.#recording.set(key.id, recording)
  }
}

/** A key in a query, a cookie or under another scheme is no key. */
export const presentedBearer = (headers: Headers) =>
  /^bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1]

/** As the bearer, or in a query that comes with no key: a browser's event source sends no headers. */
export function presentedLogToken({ headers, query }: Pick<FastifyRequest, 'headers' | 'query'>) {
  const bearer = presentedBearer(headers)
  if (bearer?.startsWith(logTokenPrefix)) return bearer
  const { token } = query as { token?: unknown }
  return headers.authorization === undefined && typeof token === 'string' ? token : undefined
}

export function presentedChatToken({ headers }: Pick<FastifyRequest, 'headers'>) {
  const bearer = presentedBearer(headers)
  return bearer?.startsWith(chatTokenPrefix) ? bearer : undefined
}

function bearerOf(headers: Headers): string {
  const bearer = presentedBearer(headers)
  if (bearer === undefined) throw noKey()
  return bearer
}

export function environmentNamed(headers: Headers): Environment | undefined {
  const header = headers['svc-env']
  if (header === undefined) return undefined
  const name = String(header).trim().toLowerCase()
  const environment = environments.find((known) => known === name)
  if (!environment) throw badRequest('svc-env is sandbox or production')
  return environment
}

function isAlive(key: store.PresentedKey): boolean {
  if (key.is_revoked) return false
  if (key.kind === 'server') return true
  return key.visitor === null ? key.status === 'active' : key.operator
}

function judgedAgain({ caller, access }: Opened, key: store.PresentedKey | undefined): Caller | Refusal {
  if (!key || !isAlive(key) || key.expired_at !== null) return opensNothing()
  try {
    const now = actingIn(caller.env, key, caller.from)
    refuseUnlessAllowed(access, now)
    return now
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

function actingIn(named: Environment | undefined, key: store.PresentedKey, from: string): Caller {
  if (key.kind === 'server') return actingAsToken(named, key, from)
  const env = named ?? 'sandbox'
  return key.visitor === null ? actingAsMember(env, key, from) : actingAsVisitor(env, key, from)
}

const keyPart = ({ org, slug, id, label, operator }: store.PresentedKey) => ({
  org,
  slug,
  key_id: id,
  label,
  operator,
})

function actingAsToken(named: Environment | undefined, key: store.PresentedKey, from: string): Caller {
  const { env, scopes: granted } = key
  if (named !== undefined && named !== env) throw forbidden(`this token was made for ${env}`)
  return {
    ...keyPart(key),
    kind: 'server',
    env,
    scopes: granted ?? [],
    subject: '',
    name: '',
    email: null,
    visiting: false,
    production: env === 'production',
    agents: [],
    maker: makerOf(key),
    from,
  }
}

/** Then and now: a maker who lost a right takes it from their tokens, and one who gained it later does not give it. */
function makerOf(key: store.PresentedKey): NonNullable<Caller['maker']> {
  const { is_maker_operator, maker_role, maker_production } = key
  const isHolding = maker_role !== null && scopesOfRole[maker_role].includes('providers')
  return {
    providers: key.maker_held_providers && (is_maker_operator || isHolding),
    production: key.maker_held_production && (is_maker_operator || maker_production === true),
  }
}

function actingAsMember(env: Environment, key: store.PresentedKey, from: string): Caller {
  const { member, name, email, role, agents, production } = key
  if (member === null || name === null || role === null) throw opensNothing()
  if (env === 'production' && !production)
    throw forbidden(`${name} has no production access: an admin gives it in Team`)
  return {
    ...keyPart(key),
    kind: 'person',
    env,
    scopes: [...scopesOfRole[role]],
    subject: member,
    name,
    email,
    visiting: false,
    production: production === true,
    agents: agents ?? [],
    from,
  }
}

/** An operator inside an org they are no member of: an admin's scopes, no seat, no list of agents. */
function actingAsVisitor(env: Environment, key: store.PresentedKey, from: string): Caller {
  const { visitor: email } = key
  return {
    ...keyPart(key),
    kind: 'person',
    env,
    scopes: [...scopes],
    subject: `operator:${email}`,
    name: key.visitor_name ?? '',
    email,
    visiting: true,
    production: true,
    agents: [],
    from,
  }
}
