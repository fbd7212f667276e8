import type { CarrierLogin, TelephonySettings } from '../../foundation/telephony-settings.ts'
import { Wire, WireFailure, type WireOptions } from './carrier-wire.ts'

type Body = Record<string, unknown>

/** Requests to the carrier's REST API, as any account; every failure is thrown as a `WireFailure`. */
export class CarrierClient {
  readonly #bases: TelephonySettings['apiCarrier']
  readonly #wire: Wire

  constructor(bases: TelephonySettings['apiCarrier'], options: WireOptions = {}) {
    this.#bases = bases
    this.#wire = new Wire('the carrier', sentenceIn, { ...options, errorIn })
  }

  /** In the account API, which names its resources by account. */
  ofAccount({ account_sid }: CarrierLogin, path: string): string {
    return `${this.#bases.accountApi}/2010-04-01/Accounts/${encodeURIComponent(account_sid)}/${path}`
  }

  ofTrunking = (path: string) => `${this.#bases.trunkingApi}/v1/${path}`

  /** In the API of rules about numbers. */
  ofNumbers = (path: string) => `${this.#bases.numbersApi}/v2/${path}`

  async get(login: CarrierLogin, url: string): Promise<Body> {
    return objectOf(await this.#wire.ask({ url, ...as(login) }))
  }

  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the carrier's documents say what each path answers
  async post<Made>(
    login: CarrierLogin,
    url: string,
    form: Record<string, string>,
    secrets: string[] = [],
  ): Promise<Made> {
    const { authorization, secrets: own } = as(login)
    const asked = { method: 'POST', url, form, authorization, secrets: [...own, ...secrets] } as const
    return objectOf(await this.#wire.ask(asked)) as Made
  }

  async delete(login: CarrierLogin, url: string): Promise<void> {
    await this.#wire.ask({ method: 'DELETE', url, ...as(login) })
  }

  /** One page. */
  async list<Item>(login: CarrierLogin, url: string, name: string): Promise<Item[]> {
    return listIn<Item>(await this.get(login, url), name)
  }

  /** Every page: the account API names the next by `next_page_uri`, the others by `meta.next_page_url`. */
  async all<Item>(login: CarrierLogin, first: string, name: string): Promise<Item[]> {
    const items: Item[] = []
    const read = new Set<string>()
    for (let url: string | undefined = first; url !== undefined;) {
      if (read.has(url)) throw outOfLine()
      read.add(url)
      const page = await this.get(login, url)
      items.push(...listIn<Item>(page, name))
      url = this.#following(url, page)
    }
    return items
  }

  #following(url: string, page: Body): string | undefined {
    const next = page['next_page_uri'] ?? (page['meta'] as Body | undefined)?.['next_page_url']
    if (next === null || next === undefined || next === '') return undefined
    const base = this.#baseOf(url)
    const whole = typeof next === 'string' && /^\/(?!\/)/.test(next) ? base + next : next
    // The credentials go with it, so it stays at the address that the operator set.
    if (typeof whole !== 'string' || !URL.canParse(whole) || new URL(whole).origin !== new URL(base).origin)
      throw outOfLine()
    return whole
  }

  #baseOf(url: string): string {
    const { accountApi, trunkingApi, numbersApi } = this.#bases
    if (url.startsWith(`${accountApi}/2010-04-01/`)) return accountApi
    return url.startsWith(`${numbersApi}/v2/`) ? numbersApi : trunkingApi
  }
}

const outOfLine = () => new WireFailure('the carrier', 200)

// A refusal has their own shape, or that of RFC 9457.
const sentenceIn = (body: unknown) => {
  const { message, detail, title } = (body ?? {}) as Body
  return message ?? detail ?? title
}

function errorIn(body: unknown): { code?: number; page?: string } {
  const { code, more_info, type } = (body ?? {}) as Body
  const page = more_info ?? type
  return {
    ...(typeof code === 'number' && { code }),
    ...(typeof page === 'string' && /^https:\/\/\S{1,200}$/.test(page) && { page }),
  }
}

const as = ({ user, secret }: CarrierLogin) => {
  const pair = Buffer.from(`${user}:${secret}`).toString('base64')
  return { authorization: `Basic ${pair}`, secrets: [secret, pair] }
}

function objectOf(body: unknown): Body {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw outOfLine()
  return body as Body
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the carrier's documents say what each list holds
function listIn<Item>(page: Body, name: string): Item[] {
  const list = page[name]
  if (!Array.isArray(list)) throw outOfLine()
  return list as Item[]
}
