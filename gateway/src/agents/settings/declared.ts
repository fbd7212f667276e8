import { isDeepStrictEqual } from 'node:util'
import { declarableNames, knobsOfName } from '@switchroom/contract/knobs'
import type { Config } from '@switchroom/contract/settings'
import { conflict } from '../../foundation/refusals.ts'
import type { Declared } from '../stages/layers.ts'

/** Refuses a set that changes, against the current settings of its scope, a knob that the class declares. */
export function refuseChangeOfDeclared(app: string, declared: Declared, sent: Config, standing: Config) {
  const changed = declarableNames.filter(
    (name) =>
      name in declared && knobsOfName(name).some((knob) => !isDeepStrictEqual(sent[knob], standing[knob])),
  )
  if (changed.length > 0) throw conflict(`${changed.join(', ')} set by the class of ${app}`).as('SET_IN_CODE')
}
