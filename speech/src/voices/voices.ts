import type { Entered, SpeechVoice } from '@switchroom/contract/voice-server'
import type { GatewayClient } from '../gateway/gateway-client.ts'

/** As sent: a parameter that is there twice is a list. */
export interface VoicesFilter {
  provider?: string | string[]
  language?: string | string[]
}

export interface ListedVoice {
  id: string
  name: string
  alias: string
  provider: string
  gender?: string
  style?: string
  languages: { code: string; name: string; region?: string }[]
  description?: string
}

const languageNames = new Intl.DisplayNames(['en'], { type: 'language' })
const regionNames = new Intl.DisplayNames(['en'], { type: 'region' })

/** A provider or language that cannot exist gives an empty list. */
export async function listVoices(gateway: GatewayClient, { org, env }: Entered, filter: VoicesFilter) {
  const [provider, language] = [lastOf(filter.provider), lastOf(filter.language)]
  const isNamed = [provider, language].every((name) => !name || /^[\w-]{1,64}$/.test(name))
  const { voices } = isNamed
    ? await gateway.voices({
        org,
        ...(env && { env }),
        ...(provider && { provider }),
        ...(language && { language }),
      })
    : { voices: [] }
  return { success: true, voices: voices.map(listed), total: voices.length }
}

const lastOf = (value: string | string[] | undefined) => [value].flat().at(-1)

/** Unknown fields are left out. */
function listed(voice: SpeechVoice): ListedVoice {
  const { id, name, alias, provider, gender, languages, accent, description } = voice
  return {
    id,
    name,
    alias,
    provider,
    ...(gender !== null && { gender }),
    ...(accent !== null && { style: accent }),
    languages: languages.map(languageOf),
    ...(description !== null && { description }),
  }
}

function languageOf(code: string) {
  const region = regionOf(code)
  return { code, name: nameOf(code), ...(region !== undefined && { region }) }
}

function nameOf(code: string): string {
  try {
    return languageNames.of(code) ?? code
  } catch {
    return code // a vendor's own tag
  }
}

function regionOf(code: string): string | undefined {
  const region = /^[a-z]{2,3}-([A-Z]{2})$/i.exec(code)?.[1]
  return region && regionNames.of(region.toUpperCase())
}
