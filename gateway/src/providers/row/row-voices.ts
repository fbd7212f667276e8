import type { ProviderRow } from '@switchroom/contract/providers'
import type { VoiceEntry } from '@switchroom/contract/speech'

/** The row's voices for a vendor, in order; one without a language has the language of its list. */
export function voicesInRow({ voices }: Pick<ProviderRow, 'voices'>, vendor: string): VoiceEntry[] {
  return Object.entries(voices[vendor] ?? {}).flatMap(([language, entries]) =>
    entries.map((voice) => {
      const entry = typeof voice === 'string' ? { id: voice } : voice
      return { ...unknown, name: entry.id, ...entry, language: entry.language ?? language }
    }),
  )
}

const unknown = { description: null, gender: null, country: null, accent: null }
