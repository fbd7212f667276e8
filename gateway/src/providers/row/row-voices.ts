import type { ProviderRow } from '@switchroom/contract/providers'
import type { VoiceEntry } from '@switchroom/contract/speech'

/** The voices the row lists for a vendor, in the row's order; one without a language has its list's. */
export function voicesInRow({ voices }: Pick<ProviderRow, 'voices'>, vendor: string): VoiceEntry[] {
  return Object.entries(voices[vendor] ?? {}).flatMap(([language, entries]) =>
    entries.map((voice) => {
      const entry = typeof voice === 'string' ? { id: voice } : voice
      return { ...unknown, name: entry.id, ...entry, language: entry.language ?? language }
    }),
  )
}

const unknown = { description: null, gender: null, country: null, accent: null }
