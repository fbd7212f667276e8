import type { Config, Judging } from '@switchroom/contract/settings'
import type { InstalledVendors } from '@switchroom/kit/installed'
import { changedFields, recordAudit } from '../../audit/recording.ts'
import type { Database, Transaction } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import type { StageKeys } from '../../providers/lent-keys/stage-keys.ts'
import type { ProvidersRow } from '../../providers/row/row.ts'
import { refuseUnbuildable } from '../settings/build-check.ts'
import { SetJudgement } from '../settings/set-judgement.ts'
import * as store from './judging.store.ts'

const noChoice: Judging = { judge: null, judge_builds: null, judge_options: null }

/** The model an org has the calls of its agents judged on, if an agent names none; one for both environments. */
export class OrgJudging {
  readonly #database: Database
  readonly #vendors: InstalledVendors
  readonly #providersRow: ProvidersRow
  readonly #stageKeys: StageKeys

  constructor(
    database: Database,
    vendors: InstalledVendors,
    providersRow: ProvidersRow,
    stageKeys: StageKeys,
  ) {
    this.#database = database
    this.#vendors = vendors
    this.#providersRow = providersRow
    this.#stageKeys = stageKeys
  }

  async read(org: string): Promise<Judging> {
    return (await store.findJudging(this.#database, org)) ?? noChoice
  }

  /** Held to what an agent's knobs of the same names are held to; nothing is tried. */
  async set(caller: Caller, wanted: Judging): Promise<Judging> {
    const { judge, judge_builds, judge_options } = wanted
    if (judge === null) {
      await this.#database.transaction(async (tx) => {
        const before = await store.findJudging(tx, caller.org)
        await store.deleteJudging(tx, caller.org)
        if (before) await recordChange(tx, caller, before, noChoice)
      })
      return noChoice
    }
    await this.#refuseUnrunnable(caller, {
      judge,
      ...(judge_builds != null && { judge_builds }),
      ...(judge_options != null && { judge_options }),
    })
    await this.#database.transaction(async (tx) => {
      const before = await store.findJudging(tx, caller.org)
      await store.keepJudging(tx, caller.org, wanted)
      await recordChange(tx, caller, before ?? noChoice, wanted)
    })
    return this.read(caller.org)
  }

  async #refuseUnrunnable({ org, slug, env }: Caller, config: Config) {
    const row = await this.#providersRow.read()
    const ofOrg = { org: { org, slug, env }, orgJudge: null }
    const standing = { ...ofOrg, row, standing: {}, below: [], declaration: null }
    const judgement = new SetJudgement(this.#vendors, this.#stageKeys, standing, config)
    const { layers, reading } = judgement
    refuseUnbuildable(config, ['judge', 'judge_builds', 'judge_options'], {
      vendors: this.#vendors,
      row,
      layers,
      reading,
      orgJudge: null,
    })
    await judgement.refuseNotLent()
    await judgement.refuseOptionsOnLentKey()
  }
}

/** Left out of the audit: options, which only the people who set agents may read. */
function recordChange(tx: Transaction, caller: Caller, before: Judging, { judge }: Judging) {
  const detail = changedFields(before, { judge })
  return recordAudit(tx, caller, 'judging.changed', { kind: 'judging', label: judge }, { env: null, detail })
}
