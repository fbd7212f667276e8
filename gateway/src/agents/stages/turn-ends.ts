import { knobTable } from '@switchroom/contract/knobs'
import type { ProviderRow } from '@switchroom/contract/providers'
import type { EndOfTurn } from '@switchroom/contract/settings'
import type { InstalledVendors } from '@switchroom/kit/installed'
import type { VendorModel } from '../../providers/parsing/stage-parsing.ts'

/** Whether this transcriber can end a turn: as the row says, or its manifest if the row does not name it. */
export function canEndTurn(vendors: InstalledVendors, row: ProviderRow, transcriber: VendorModel): boolean {
  if (longestMatch(row.can_end_turn, transcriber) !== undefined) return true
  const isNamed = row.can_end_turn.some((key) => key.split('/', 1)[0] === transcriber.vendor)
  return !isNamed && vendors.get(transcriber.vendor)?.manifest?.stages.stt?.ends_turn === true
}

/** What ends a turn with this transcriber while the knob is not set: the row's choice, else the default. */
export function rowsTurnEnd(row: ProviderRow, transcriber: VendorModel): EndOfTurn {
  const key = longestMatch(Object.keys(row.end_of_turn), transcriber)
  return key === undefined ? knobTable.end_of_turn.default.value : (row.end_of_turn[key] as EndOfTurn)
}

/** A key is a vendor, or a vendor with the start of a model's name; the longest counts. */
function longestMatch(keys: readonly string[], { vendor, model }: VendorModel): string | undefined {
  const matching = keys.filter(
    (key) => key === vendor || (key.includes('/') && `${vendor}/${model}`.startsWith(key)),
  )
  return matching.toSorted((a, b) => b.length - a.length)[0]
}
