import { webhookEventTypes } from '@switchroom/contract/webhook-names'
import { normalHost } from '../../foundation/address-ranges.ts'
import { outsideList, type Caller } from '../../foundation/caller.ts'
import { badRequest, listed } from '../../foundation/refusals.ts'
import { codePoints } from '../../foundation/text.ts'

const longestUrl = 500
const longestDescription = 200
const mostAgents = 100
const longestAgent = 64

/** What a person says of an endpoint. */
export interface EndpointFields {
  url: string
  description: string
  types: string[] | null
  agents: string[] | null
}

interface Wanted {
  url: string
  description?: string | undefined
  types?: string[] | null | undefined
  agents?: string[] | null | undefined
}

/** Refuses what could not be sent to, and what the caller may not read. `privateHosts` may be sent to over plain http. */
export function fieldsOf(
  caller: Pick<Caller, 'agents'>,
  { url, description = '', types = null, agents = null }: Wanted,
  privateHosts: readonly string[],
): EndpointFields {
  if (codePoints(description).length > longestDescription)
    throw badRequest(`description is at most ${longestDescription} characters`)
  return {
    url: addressIn(url, privateHosts),
    description,
    types: typesIn(types),
    agents: agentsIn(caller, agents),
  }
}

/** As the network names it. */
export const hostOf = (url: string) => new URL(url).hostname.replace(/^\[|\]$/g, '')

/** Whether someone who works on some agents may see and change the endpoint. */
export const isWithin = (caller: Pick<Caller, 'agents'>, agents: readonly string[] | null) =>
  caller.agents.length === 0 || (agents !== null && agents.every((agent) => caller.agents.includes(agent)))

function addressIn(typed: string, privateHosts: readonly string[]): string {
  const url = typed.length <= longestUrl && URL.canParse(typed) ? new URL(typed) : undefined
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username || url.password)
    throw badRequest(
      `url is an address of https without a user in it, of at most ${longestUrl} characters, such as https://example.com/hooks`,
    )
  if (url.hash) throw badRequest('url has no part behind a #: it would not be sent')
  const isPrivate = privateHosts.some((host) => normalHost(host) === normalHost(url.hostname))
  if (url.protocol === 'http:' && !isPrivate)
    throw badRequest('url: use https, because http would show what is said in calls to the network')
  return url.href
}

/** `call.*` is every type that begins so. */
function typesIn(wanted: readonly string[] | null): string[] | null {
  if (wanted === null) return null
  if (wanted.length === 0) throw badRequest('types is a list of at least one event type, or null for all')
  for (const type of wanted)
    if (!webhookEventTypes.some((known) => isMeant(type, known)))
      throw badRequest(
        `types: there is no event ${type.slice(0, 60)}; there are ${listed(webhookEventTypes)}, and a kind such as call.*`,
      )
  return webhookEventTypes.filter((known) => wanted.some((type) => isMeant(type, known)))
}

const isMeant = (wanted: string, known: string) =>
  wanted === known || (wanted.endsWith('.*') && known.startsWith(wanted.slice(0, -1)))

function agentsIn(caller: Pick<Caller, 'agents'>, wanted: readonly string[] | null): string[] | null {
  if (!isWithin(caller, wanted)) {
    if (wanted === null) throw badRequest(`agents: choose from those of your key: ${listed(caller.agents)}`)
    throw outsideList(caller as Caller)
  }
  if (wanted === null) return null
  if (wanted.length === 0 || wanted.length > mostAgents)
    throw badRequest(`agents is a list of 1 to ${mostAgents} agents, or null for all`)
  const strange = wanted.find((agent) => agent === '' || agent.length > longestAgent || agent.includes('\0'))
  if (strange !== undefined) throw badRequest('agents: an agent has a name of 1 to 64 characters')
  return [...new Set(wanted)].toSorted()
}
