import { badRequest } from '../../foundation/refusals.ts'
import { codePoints } from '../../foundation/text.ts'

const longestDescription = 500
const mostAgents = 100
const longestAgent = 64

/** What a person says of a base. */
export interface BaseFields {
  description: string
  language: string | null
  embed: string | null
  agents: string[] | null
}

type Wanted = { [Field in keyof BaseFields]?: BaseFields[Field] | undefined }

export function refuseMalformedName(base: string) {
  if (!/^[a-z0-9][a-z0-9_-]{0,59}$/.test(base))
    throw badRequest(
      'base is a name of 1 to 60 lower-case letters, digits, `-` and `_` that begins with a letter or a digit, such as faq',
    )
}

export function fieldsOf({
  description = '',
  language = null,
  embed = null,
  agents = null,
}: Wanted): BaseFields {
  if (codePoints(description).length > longestDescription)
    throw badRequest(`description is at most ${longestDescription} characters`)
  if (language !== null && !/^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}$/.test(language))
    throw badRequest('language is a tag such as de or pt-BR, or null: then it is found in each document')
  if (embed !== null)
    throw badRequest(
      'embed: this version makes no embeddings; leave it out, and the base is searched by words',
    )
  return { description, language, embed, agents: agentsIn(agents) }
}

function agentsIn(wanted: readonly string[] | null): string[] | null {
  if (wanted === null) return null
  if (wanted.length === 0 || wanted.length > mostAgents)
    throw badRequest(`agents is a list of 1 to ${mostAgents} agents, or null for all`)
  const strange = wanted.find((agent) => agent === '' || agent.length > longestAgent)
  if (strange !== undefined)
    throw badRequest(`agents: an agent has a name of 1 to ${longestAgent} characters`)
  return [...new Set(wanted)].toSorted()
}
