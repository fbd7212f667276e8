import type { FastifyRequest } from 'fastify'
import type { Environment } from '@switchroom/contract/scopes'
import type { Caller } from '../foundation/caller.ts'
import { badRequest, notFound } from '../foundation/refusals.ts'
import { isSameSecret } from '../foundation/secrets.ts'
import { environmentNamed, presentedBearer } from './authentication.ts'

type Headers = FastifyRequest['headers']
type FleetRequest = Pick<FastifyRequest, 'headers' | 'params' | 'query' | 'clientAddress'>

/** What a worker of the platform may name; both are kept by rooms that this one knows nothing of. */
export interface FleetDirectory {
  org: (idOrSlug: string) => Promise<{ id: string; slug: string } | undefined>
  orgOfCall: (call: string) => Promise<{ org: string; slug: string; env: Environment } | undefined>
}

/** The platform's own workers: one key for every org, which each request names. */
export class Fleet {
  readonly #key: string | undefined
  readonly #directory: FleetDirectory

  constructor(key: string | undefined, directory: FleetDirectory) {
    this.#key = key
    this.#directory = directory
  }

  isPresented(headers: Headers): boolean {
    const bearer = presentedBearer(headers)
    return this.#key !== undefined && bearer !== undefined && isSameSecret(bearer, this.#key)
  }

  /** A worker of the org in `svc-org`, else of the call's; in the environment that is named, else the call's. */
  async caller(request: FleetRequest, isOrgInBody = false): Promise<Caller> {
    const { headers, params } = request
    const wanted = environmentNamed(headers)
    const named = callNamed(params, 'call') ?? callNamed(request.query, 'call')
    const id = named ?? callNamed(request.query, 'for_call')
    const call = id === undefined ? undefined : await this.#directory.orgOfCall(id)
    const org = (await this.#orgNamed(headers['svc-org'])) ?? call
    if (!org && named !== undefined) throw notFound(`there is no call ${id}`)
    if (!org && !isOrgInBody)
      throw badRequest('name the org in the header svc-org, or a call that is known in for_call')
    const env = wanted ?? call?.env ?? 'sandbox'
    return {
      kind: 'fleet',
      org: org?.org ?? '',
      slug: org?.slug ?? '',
      key_id: '',
      label: 'fleet',
      env,
      scopes: [],
      subject: '',
      name: '',
      email: null,
      operator: false,
      visiting: false,
      production: env === 'production',
      agents: [],
      from: request.clientAddress,
    }
  }

  async #orgNamed(header: string | string[] | undefined) {
    if (typeof header !== 'string' || header === '') return undefined
    const org = await this.#directory.org(header)
    if (!org) throw notFound(`there is no org ${header}`)
    return { org: org.id, slug: org.slug }
  }
}

/** Paths and queries are objects of strings and lists of them. */
function callNamed(part: unknown, name: string): string | undefined {
  const named = (part as Record<string, unknown> | undefined)?.[name]
  return typeof named === 'string' ? named : undefined
}
