import type { CarrierAccountFake, TermsFake } from './carrier-fake-account.ts'

export interface CarrierRequest {
  method: string
  path: string
  query: Record<string, string>
  form: Record<string, string>
  contentType: string
  user: string
  secret: string
}

/** The carrier's no, in its own shape. */
export class CarrierRefusal {
  readonly status: number
  readonly code: number
  readonly message: string

  constructor(status: number, code: number, message: string) {
    this.status = status
    this.code = code
    this.message = message
  }
}

/** What there is at the carrier. */
export interface CarrierState {
  url: string
  accounts: Map<string, CarrierAccountFake>
  forSale: Map<string, string[]>
  /** By number; a local one that needs no address if it is absent. */
  terms: Map<string, Partial<TermsFake>>
  /** Countries and types that are sold with a bundle alone, as `DE local`. */
  regulated: Set<string>
  longestPage: number
}

export type Answer = [status: number, body?: object]

export interface Context {
  fake: CarrierState
  account: CarrierAccountFake
  request: CarrierRequest
  /** The parts of the path that vary. */
  parts: string[]
}

export interface Operation {
  method: string
  path: RegExp
  required?: string[]
  optional?: string[]
  run(context: Context): Answer
}

export const paging = ['PageSize', 'Page', 'PageToken']

export const notFound = ({ path }: CarrierRequest) =>
  new CarrierRefusal(404, 20404, `The requested resource ${path} was not found`)

/** Stricter than the real one, which ignores what it does not know: a misspelt parameter is a defect of ours. */
export function refuseMisshapen(
  { method, required = [], optional = [] }: Operation,
  request: CarrierRequest,
) {
  const sent = method === 'POST' ? request.form : request.query
  if (method === 'POST' && !request.contentType.startsWith('application/x-www-form-urlencoded'))
    throw new CarrierRefusal(415, 20415, 'Content type is not supported')
  const missing = required.find((name) => !sent[name])
  if (missing) throw new CarrierRefusal(400, 20001, `Missing required parameter ${missing}`)
  const unknown = Object.keys(sent).find((name) => !required.includes(name) && !optional.includes(name))
  if (unknown) throw new CarrierRefusal(400, 20001, `Unknown parameter ${unknown}`)
  const size = Number(request.query['PageSize'] ?? 50)
  if (!(size >= 1 && size <= 1000)) throw new CarrierRefusal(400, 20006, 'Page size must be 1 to 1000')
}

export function named({ form }: CarrierRequest): string {
  const name = form['FriendlyName'] ?? ''
  if (name.length > 64) throw new CarrierRefusal(400, 20001, 'FriendlyName is longer than 64 characters')
  return name
}

/** The account API names its pages by path, the others by whole address, inside `meta`. */
export function page(
  { fake, request }: Context,
  name: string,
  items: object[],
  style: 'uri' | 'meta',
): Answer {
  const size = Math.min(Number(request.query['PageSize'] ?? 50), fake.longestPage)
  const at = Number(request.query['Page'] ?? 0)
  const shown = items.slice(at * size, (at + 1) * size)
  const addressOf = (index: number) => {
    const query = new URLSearchParams({ ...request.query, PageSize: String(size), Page: String(index) })
    if (index > 0) query.set('PageToken', `PT${index}`)
    return `${style === 'meta' ? fake.url : ''}${request.path}?${query.toString()}`
  }
  const next = (at + 1) * size < items.length ? addressOf(at + 1) : null
  const pages = { page: at, page_size: size }
  if (style === 'uri') return [200, { [name]: shown, next_page_uri: next, ...pages, uri: request.path }]
  return [200, { [name]: shown, meta: { key: name, next_page_url: next, ...pages, url: addressOf(at) } }]
}
