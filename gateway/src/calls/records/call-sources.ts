import type { ProviderRow } from '@switchroom/contract/providers'
import type { Declaration } from '../../agents/stages/declaration.ts'
import type { SettingsScope } from '../../agents/scope.ts'
import type { Database, Queryable, Transaction } from '../../database/database.ts'
import type { LiveGateways } from '../../database/gateway-liveness.ts'
import {
  readNow,
  readWhole,
  type CallNow,
  type KnownRecord,
  type LexiconSource,
  type RanScope,
  type ReadScope,
  type ScopeSettings,
  type ScopeSource,
} from './resolution.store.ts'
import { SettingsMemory } from './settings-memory.ts'

/** Everything that a call's settings are resolved from. */
export interface ResolutionSources extends Omit<ScopeSettings, 'lexicon'> {
  record: KnownRecord | null
  /** Of a known call the one it runs, else the nearest scope's newest. */
  lexicon: LexiconSource | null
  row: ProviderRow
  declaration: Declaration | null
}

/**
 * Reads what calls are resolved from. Settings seldom change and are much to read, so that they are remembered: each
 * read asks the database whether what is remembered still holds, and so is never behind it.
 */
export class CallSources {
  readonly #alive: () => LiveGateways
  readonly #memory: SettingsMemory
  /** The platform's row as it was read last. */
  #row: { version: string; row: ProviderRow } | undefined

  constructor(alive: () => LiveGateways, memory = new SettingsMemory()) {
    this.#alive = alive
    this.#memory = memory
  }

  /** A known call's recorded versions, for any caller; for a new call a person's scope and the team's, or the org's alone. */
  async read(
    database: Database | Transaction,
    scope: SettingsScope,
    call: string | null,
    settings?: readonly RanScope[],
  ): Promise<ResolutionSources> {
    const asked: ReadScope = { ...scope, call, settings, alive: this.#alive() }
    // A transaction sees what it changed itself, which counts for nobody else.
    if ('isTransaction' in database) return this.#readWhole(database, asked)
    const now = await readNow(database, asked)
    return this.#remembered(asked, now) ?? this.#readWhole(database, asked, this.#memory)
  }

  /** Undefined if something has changed since, or a known call runs what is no longer the newest. */
  #remembered(asked: ReadScope, now: CallNow): ResolutionSources | undefined {
    const { epoch, row_version, record } = now
    const settings = this.#memory.of(nameOf(asked, record), epoch)
    if (!settings || this.#row?.version !== row_version) return undefined
    const lexicon = record ? recordedLexicon(record, settings.lexicon) : settings.lexicon
    const ran = record?.settings ?? asked.settings
    if (lexicon === undefined || (ran && !hasRan(ran, settings.scopes))) return undefined
    return sourcesOf(now, settings, lexicon, this.#row.row)
  }

  async #readWhole(
    database: Queryable,
    asked: ReadScope,
    memory?: SettingsMemory,
  ): Promise<ResolutionSources> {
    const last = this.#row // another call may read a newer one meanwhile
    const read = await readWhole(database, asked, last?.version)
    const { epoch, record, row_version: version } = read
    if (read.row) this.#row = { version, row: frozen(read.row) }
    const row = read.row ?? last?.row
    if (!row) throw new Error('the platform has no row')
    const settings = frozen(JSON.parse(read.settings) as ScopeSettings)
    memory?.keep(nameOf(asked, record), { epoch, settings, bytes: read.settings.length })
    return sourcesOf(read, settings, record ? read.recorded_lexicon : settings.lexicon, row)
  }
}

const nameOf = ({ org, agent, env, holder }: ReadScope, record: KnownRecord | null) =>
  JSON.stringify([org, agent, env, record?.holder ?? holder])

/** Undefined if it is another than the newest. */
function recordedLexicon(
  record: KnownRecord,
  newest: LexiconSource | null,
): LexiconSource | null | undefined {
  const { lexicon_holder: holder, lexicon_version: version } = record
  if (version === null) return null
  return newest?.holder === holder && newest.version === version ? newest : undefined
}

const hasRan = (ran: readonly RanScope[], scopes: readonly ScopeSource[]) =>
  scopes.every(({ rows }, place) => {
    const version = ran[place]?.version ?? null
    return version === null || rows.some((row) => row.version === version)
  })

const sourcesOf = (
  { record, connected }: CallNow,
  settings: ScopeSettings,
  lexicon: LexiconSource | null,
  row: ProviderRow,
): ResolutionSources => ({
  ...settings,
  record,
  lexicon,
  row,
  declaration: connected && { app: connected.app, ...connected.declaration },
})

/** Many calls share it. */
function frozen<T extends object>(value: T): T {
  for (const member of Object.values(value)) if (typeof member === 'object' && member) frozen(member)
  return Object.freeze(value)
}
