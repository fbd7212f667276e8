import { knobTable, memberDefaults } from '@switchroom/contract/knobs'
import type { ProviderRow } from '@switchroom/contract/providers'
import type { Config, EndOfTurn } from '@switchroom/contract/settings'
import type { InstalledVendors } from '@switchroom/kit/installed'
import { Layers } from '../../agents/stages/layers.ts'
import { canEndTurn, rowsTurnEnd } from '../../agents/stages/turn-ends.ts'
import type { VendorModel } from '../../providers/parsing/stage-parsing.ts'
import type { ResolvedSettings } from '../records/records.ts'

const greetingDefaults = memberDefaults('greeting')
const baseDefaults = memberDefaults('bases')

/** A call's settings, nearest first: what the app's class declares, then each scope. */
export const layersOf = ({ declaration, scopes }: Pick<ResolvedSettings, 'declaration' | 'scopes'>) =>
  new Layers(
    declaration?.declared ?? {},
    scopes.map(({ config }) => config),
  )

/** The knobs as a call runs them: those that nothing sets are left out, or hold what then counts. */
export function configRun(layers: Layers): Config {
  const { greeting, bases, ...set } = layers.merged()
  return {
    llm_timeout_s: knobTable.llm_timeout_s.default.value,
    ...set,
    ...(greeting && { greeting: { ...greetingDefaults, ...greeting } }),
    ...(bases && { bases: bases.map((base) => ({ ...baseDefaults, ...base })) }),
  }
}

/** What ends a turn with this transcriber; `stt` only if it can, also if the setting is older than the transcriber. */
export function turnEnd(
  vendors: InstalledVendors,
  row: ProviderRow,
  layers: Layers,
  transcriber: VendorModel,
): EndOfTurn {
  const said = layers.get('end_of_turn')
  const isDone = said !== undefined && (said !== 'stt' || canEndTurn(vendors, row, transcriber))
  return isDone ? said : rowsTurnEnd(row, transcriber)
}
