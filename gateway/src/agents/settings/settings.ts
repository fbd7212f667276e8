import { knobs, wordsKnobs } from '@switchroom/contract/knobs'
import type { Config, Lexicon, SetSettings, SettingsRow, SettingsView } from '@switchroom/contract/settings'
import type { InstalledVendors } from '@switchroom/kit/installed'
import type { Caller } from '../../foundation/caller.ts'
import type { StageKeys } from '../../providers/lent-keys/stage-keys.ts'
import type { ProvidersRow } from '../../providers/row/row.ts'
import { fixedBy, lexiconUnder, type Declaration } from '../stages/declaration.ts'
import { refuseOutOfBand } from '../knobs/knob-checks.ts'
import { scopeOf, type SettingsScope } from '../scope.ts'
import { tryStage } from '../../providers/trials/trials.ts'
import { noteOf, type VersionRow, type Versions } from '../versions/versions.ts'
import { refuseUnbuildable } from './build-check.ts'
import { refuseChangeOfDeclared } from './declared.ts'
import { SetJudgement, type CurrentSettings } from './set-judgement.ts'
import { carriedOver, opensWordsAlone } from './words-key.ts'

export interface SettingsParts {
  vendors: InstalledVendors
  providersRow: ProvidersRow
  stageKeys: StageKeys
  versions: Versions<Config>
  lexiconVersions: Versions<Lexicon>
  /** The class that holds the agent for the caller; null if no app does. */
  declarationFor: (scope: SettingsScope) => Promise<Declaration | null>
  orgJudge: (org: string) => Promise<string | null>
  trialTimeoutMs: number
}

/** What an agent runs on, set per environment and scope, one version after the other. */
export class AgentSettings {
  readonly #parts: SettingsParts

  constructor(parts: SettingsParts) {
    this.#parts = parts
  }

  async read(caller: Caller, agent: string): Promise<SettingsView> {
    const { yours, team, production } = await this.#parts.versions.three(caller, agent)
    const declaration = await this.#parts.declarationFor(scopeOf(caller, agent))
    return {
      world: caller.env,
      yours: yours && rowOf(yours),
      team: team && rowOf(team),
      production: production && rowOf(production),
      fixed: fixedBy(declaration),
    }
  }

  async set(caller: Caller, agent: string, wanted: SetSettings): Promise<SettingsView> {
    const note = noteOf(wanted.note)
    const scope = scopeOf(caller, agent, wanted.team)
    const standing = await this.#standing(caller, scope)
    const isWordsKey = opensWordsAlone(caller)
    const config = isWordsKey ? carriedOver(wanted.config, standing.standing) : wanted.config
    const judgement = new SetJudgement(this.#parts.vendors, this.#parts.stageKeys, standing, config)
    this.#refuseUnbuildable(config, isWordsKey, standing, judgement)
    if (!isWordsKey) {
      await judgement.refuseNotLent()
      refuseOutOfBand('turn', config.turn)
    }
    const { declaration } = standing
    if (declaration) refuseChangeOfDeclared(declaration.app, declaration.declared, config, standing.standing)
    if (!isWordsKey) {
      await judgement.refuseOptionsOnLentKey()
      const trials = await judgement.trials(await this.#lexiconIn(scope, declaration))
      for (const trial of trials) await tryStage(trial, this.#parts.trialTimeoutMs)
    }
    await this.#parts.versions.add(caller, scope, wanted.if_version, { content: config, note })
    return this.read(caller, agent)
  }

  #refuseUnbuildable(
    config: Config,
    isWordsKey: boolean,
    standing: CurrentSettings,
    judgement: SetJudgement,
  ) {
    refuseUnbuildable(config, isWordsKey ? wordsKnobs : knobs, {
      vendors: this.#parts.vendors,
      row: standing.row,
      layers: judgement.layers,
      reading: judgement.reading,
      orgJudge: standing.orgJudge,
    })
  }

  /** As a call of this scope has it: the nearest row is both halves, and the class wins for its own. */
  async #lexiconIn(scope: SettingsScope, declaration: Declaration | null): Promise<Lexicon> {
    const { lexiconVersions } = this.#parts
    const row =
      (await lexiconVersions.newest(scope)) ?? (await lexiconVersions.newest({ ...scope, holder: '' }))
    return lexiconUnder(declaration, row?.content)
  }

  async #standing(caller: Caller, scope: SettingsScope): Promise<CurrentSettings> {
    const { providersRow, versions, declarationFor, orgJudge } = this.#parts
    const [row, own, team, declaration, judge] = await Promise.all([
      providersRow.read(),
      versions.newest(scope),
      scope.holder === '' ? null : versions.newest({ ...scope, holder: '' }),
      declarationFor(scopeOf(caller, scope.agent)),
      orgJudge(scope.org),
    ])
    return {
      org: { org: caller.org, slug: caller.slug, env: scope.env },
      row,
      standing: own?.content ?? {},
      below: team ? [team.content] : [],
      declaration,
      orgJudge: judge,
    }
  }
}

export const rowOf = ({ content, ...row }: VersionRow<Config>): SettingsRow => ({ ...row, config: content })
