import type {
  CallBase,
  FoundPassages,
  KnowledgeFound,
  LookUpInCall,
  SearchInCall,
} from '@switchroom/contract/knowledge'
import { longestQuery, mostPassages } from '@switchroom/contract/knowledge-names'
import { lookUpDeadlineMs, memberDefaults } from '@switchroom/contract/knobs'
import type { Config } from '@switchroom/contract/settings'
import type { SettingsScope } from '../../agents/scope.ts'
import type { Caller } from '../../foundation/caller.ts'
import { badRequest, forbidden, notFound } from '../../foundation/refusals.ts'
import { cutToLine } from '../../foundation/text.ts'
import type { Found, KnowledgeSearch, SearchReach, SearchTerms } from '../../knowledge/passages.ts'
import { longestWhole, type FoundBase, type WholeBases } from '../../knowledge/whole/whole-bases.ts'
import { callLog } from '../log/entries.ts'
import type { Log } from '../log/log.ts'
import type { CallRecords } from '../records/records.ts'
import { configRun, layersOf } from '../resolution/resolved-config.ts'

export interface CallBasesParts {
  records: CallRecords
  log: Pick<Log, 'append'>
  wholeBases: WholeBases
  search: KnowledgeSearch
}

type NamedBase = NonNullable<Config['bases']>[number]
/** Whose settings hold is known by the call. */
type CallOf = Omit<SettingsScope, 'holder'> & { id: string }

const defaults = memberDefaults('bases')

/** The bases that a call's settings name: how the call uses them, and what is found in them. */
export class CallBases {
  readonly #parts: CallBasesParts

  constructor(parts: CallBasesParts) {
    this.#parts = parts
  }

  /** How the call uses each base that its settings name. */
  async of(call: CallOf, named: readonly NamedBase[]): Promise<CallBase[]> {
    const found = await this.#parts.wholeBases.find(reachOf(call), [
      ...new Set(named.map(({ base }) => base)),
    ])
    return Promise.all(named.map((base) => this.#used(call, base, found.get(base.base))))
  }

  /** The same by the settings that the call runs on. */
  async named(call: CallOf): Promise<CallBase[]> {
    return this.of(call, await this.#namedBy(call))
  }

  async #used({ env, agent }: CallOf, named: NamedBase, found: FoundBase | undefined): Promise<CallBase> {
    const { base, deadline_ms = lookUpDeadlineMs } = named
    const mode = modeOf(named)
    const used = { base, mode, description: found?.description ?? '', deadline_ms, documents: [] }
    if (!found)
      return {
        ...used,
        usable: false,
        note: `there is no base ${cutToLine(base, 'of that name')} in ${env} that ${agent} may search: create it, or correct \`bases\` in the settings`,
      }
    if (mode !== 'whole') return { ...used, usable: true, note: null }
    const documents = await this.#parts.wholeBases.read(found)
    if (documents) return { ...used, usable: true, note: null, documents }
    return {
      ...used,
      mode: 'auto',
      usable: true,
      note: `${base} has more than the ${longestWhole} characters that a call reads whole: it is looked up before every turn instead`,
    }
  }

  /** By the settings that the call runs on. */
  async lookUp(call: CallOf, { base, query }: LookUpInCall, signal?: AbortSignal): Promise<FoundPassages> {
    const named = (await this.#namedBy(call)).find((one) => one.base === base)
    if (!named) throw notNamed(call, base)
    return this.lookUpIn(call, named, query, signal)
  }

  /** In a base that the settings are known to name. */
  async lookUpIn(
    call: CallOf,
    { base, ...how }: NamedBase,
    query: string,
    signal?: AbortSignal,
  ): Promise<FoundPassages> {
    const { k, min_score: minScore } = { ...defaults, ...how }
    return this.#search(reachOf(call), base, { query, k, minScore, ...(signal && { signal }) })
  }

  /** For the app: in a base that the settings name, or any that its key opens. Logged as the app's search. */
  async searchFor(caller: Caller, id: string, asked: SearchInCall): Promise<FoundPassages> {
    const agent = await this.#parts.records.agentOf(caller, id)
    if (agent === undefined) throw notFound(`there is no call ${cutToLine(id, 'of that id')}`)
    const call = { org: caller.org, env: caller.env, agent, id }
    const { base, query, k, min_score: minScore } = { ...defaults, ...wellFormed(asked) }
    const isNamed = (await this.#namedBy(call)).some((one) => one.base === base)
    if (!isNamed && !caller.scopes.includes('knowledge')) throw notNamed(call, base)
    const reach = isNamed ? reachOf(call) : reachOfKey(caller)
    const sinceMs = performance.now()
    const found = await this.#search(reach, base, { query, k, minScore })
    const ms = Math.round((performance.now() - sinceMs) * 10) / 10
    await this.#log(call, { base, query, found, ms })
    return found
  }

  async #namedBy(call: CallOf): Promise<readonly NamedBase[]> {
    const { bases = [] }: Config = configRun(
      layersOf(await this.#parts.records.resolve({ ...call, holder: '' }, call.id, 'web')),
    )
    return bases
  }

  async #search(reach: SearchReach, base: string, terms: SearchTerms): Promise<FoundPassages> {
    const { passages, bestScore, by, ms }: Found = await this.#parts.search.search(reach, base, terms)
    return { passages: [...passages], best_score: bestScore, by, ms }
  }

  async #log(
    call: CallOf,
    { base, query, found, ms }: { base: string; query: string; found: FoundPassages; ms: number },
  ) {
    const passages = found.passages.map(({ chunk, document, name, heading, score }) => {
      return { chunk, document, name, heading, score }
    })
    const { best_score } = found
    const about = { base, mode: 'app', query, passages, best_score, ms, waited_ms: 0 } as const
    const data: KnowledgeFound = { ...about, late: false, error: null }
    await this.#parts.log.append(callLog(call), [{ type: 'knowledge.found', data: { ...data } }])
  }
}

const modeOf = ({ mode }: NamedBase): CallBase['mode'] =>
  mode === undefined || mode === 'always' ? 'auto' : mode

const reachOf = ({ org, env, agent }: CallOf): SearchReach => ({ org, env, agents: [agent] })

const reachOfKey = ({ org, env, agents }: Caller): SearchReach => ({
  org,
  env,
  agents: agents.length === 0 ? null : agents,
})

const notNamed = ({ agent }: CallOf, base: string) =>
  forbidden(
    `the settings of ${agent} do not name the base ${cutToLine(base, 'of that name')}: add it to \`bases\`, or use a key that opens knowledge`,
  )

/** Of the app's own search, whose terms are not from the settings. */
function wellFormed(asked: SearchInCall): SearchInCall {
  const { query, k, min_score } = asked
  if (query.trim() === '' || query.length > longestQuery)
    throw badRequest(`\`query\` has 1 to ${longestQuery} characters`)
  if (k !== undefined && (k < 1 || k > mostPassages)) throw badRequest(`\`k\` is from 1 to ${mostPassages}`)
  if (min_score !== undefined && (min_score < 0 || min_score > 1))
    throw badRequest('`min_score` is from 0 to 1')
  return asked
}
