import type { Catalogue } from '@switchroom/contract/providers'
import type { Config, Judging, Knob } from '@switchroom/contract/settings'
import { useGet } from '../api/queries.ts'
import { useCan } from '../who/identity.ts'

/** The value that a call uses while a knob is not set, as text. */
export type KnobDefaults = (knob: Knob, config: Config) => string

/** Vendors and models as the gateway answers them; without the scope `providers` it does not. */
export function useKnobDefaults(): KnobDefaults {
  const can = useCan()
  const { data: catalogue } = useGet<Catalogue>(can('providers') ? '/v1/providers' : null)
  const { data: judging } = useGet<Judging>('/v1/org/judging')
  return (knob, { tts = catalogue?.defaults.tts }) => {
    switch (knob) {
      case 'llm':
      case 'stt':
      case 'tts':
        return catalogue?.defaults[knob] ?? platformDefault
      case 'tts_model':
        return catalogue?.models[`tts/${tts}`]?.[0] ?? vendorDefault
      case 'judge':
        return judging?.judge ?? platformDefault
      default:
        return fixedDefaults[knob] ?? 'none'
    }
  }
}

const platformDefault = 'set by the platform'
const vendorDefault = 'set by the vendor'

/** What the requirements fix: no endpoint answers these. */
const fixedDefaults: Partial<Record<Knob, string>> = {
  language: vendorDefault,
  temperature: vendorDefault,
  llm_timeout_s: '12',
  voice: vendorDefault,
  end_of_turn: 'set by the platform for the speech-to-text model',
  record: 'no',
  max_duration_s: '0',
  llm_builds: vendorDefault,
  stt_builds: vendorDefault,
  tts_builds: vendorDefault,
  judge_builds: vendorDefault,
  hangup: 'never',
}

/** Defaults of the parts of `turn`. */
export const turnDefaults = {
  endpointing_ms: '500',
  min_interruption_words: '0',
  min_interruption_ms: '500',
  eot_threshold: vendorDefault,
  eager_eot_threshold: vendorDefault,
}
