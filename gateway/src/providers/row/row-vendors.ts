import { endpointVendor } from '@switchroom/contract/endpoint-names'
import type { ProviderRow } from '@switchroom/contract/providers'
import type { Stage } from '@switchroom/contract/stages'
import type { Manifest } from '@switchroom/kit/manifest'
import type { InstalledVendors } from '@switchroom/kit/installed'
import { badRequest } from '../../foundation/refusals.ts'
import { splitWord } from '../parsing/stage-parsing.ts'
import { whyNoPlugin } from '../parsing/vendor-refusals.ts'
import { splitKey, wordsOf } from './row-parsing.ts'

/** Refuses stages that this build cannot run. Options of a vendor that is not installed may stay. */
export function refuseUnrunnable(row: ProviderRow, vendors: InstalledVendors) {
  for (const { place, stage, word } of wordsOf(row)) {
    const why = whyNoPlugin(vendors, stage, splitWord(word)?.vendor ?? word)
    if (why) throw badRequest(`${place}: ${why}`)
    if (splitWord(word)?.vendor === endpointVendor && !place.startsWith('fallbacks.'))
      throw badRequest(`${place}: ${word} is an org's own endpoint, which other orgs do not have`)
  }
  for (const [key, options] of Object.entries(row.options)) {
    const named = splitKey(key)
    const manifest = named && vendors.get(named.vendor)?.manifest
    if (manifest) refuseOptions(key, Object.keys(options), manifest, named.stage)
  }
}

function refuseOptions(key: string, names: string[], manifest: Manifest, stage: Stage) {
  const classes = Object.values(manifest.stages[stage]?.classes ?? {})
  for (const name of names) {
    if (manifest.credentials.fields.includes(name))
      throw badRequest(`options.${key}: ${name} is a secret, and people read this row`)
    if (!classes.some(({ takes }) => takes.includes(name)))
      throw badRequest(`options.${key}: ${manifest.name} takes no ${name} for ${stage}`)
  }
}
