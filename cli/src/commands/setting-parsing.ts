import { knobs, type Config } from '@switchroom/contract/settings'
import { wrongUsage } from '../terminal/failures.ts'

/** Always text, whatever they look like. */
const texts = new Set(
  (
    'voice tts tts_model stt llm end_of_turn llm_builds stt_builds tts_builds judge judge_builds ' +
    'language knowledge say reply when remember forget base'
  ).split(' '),
)

type Branch = Record<string, unknown>

/** A config with `knob=value` or `knob.part=value` laid over it; an empty value takes the knob away. */
export function changed(config: Config, words: readonly string[]): Config {
  const result = structuredClone(config) as Branch
  for (const word of words) {
    const [, name = '', value] = /^([^=]+)=(.*)$/s.exec(word) ?? []
    if (value === undefined) throw wrongUsage(`${word} is not a setting: write knob=value`)
    const way = name.split('.')
    if (!knobs.some((knob) => knob === way[0]))
      throw wrongUsage(`unknown setting ${way[0]}: use one of ${knobs.join(', ')}`)
    put(result, way, valueOf(way.at(-1) ?? '', value))
  }
  return result
}

function valueOf(name: string, text: string): unknown {
  if (text === '') return undefined
  if (texts.has(name) && !/^["[]/.test(text)) return text
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

function put(branch: Branch, [name = '', ...deeper]: string[], value: unknown): void {
  if (deeper.length > 0) {
    const inner = branch[name]
    const below: Branch = typeof inner === 'object' && inner !== null ? (inner as Branch) : {}
    put(below, deeper, value)
    value = Object.keys(below).length === 0 ? undefined : below
  }
  if (value === undefined) delete branch[name]
  else branch[name] = value
}
