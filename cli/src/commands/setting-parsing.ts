import type { Shape } from '@switchroom/contract/knob-shapes'
import { knobs, rowOfKnob } from '@switchroom/contract/knobs'
import type { Config } from '@switchroom/contract/settings'
import { wrongUsage } from '../terminal/failures.ts'

const isText = ({ shape }: { shape: Shape }) => ['text', 'texts', 'choice'].includes(shape.kind)

/** The knobs and members of knobs that are text, also if the value looks like a number. */
const texts: ReadonlySet<string> = new Set(
  knobs.flatMap((knob) => {
    const row = rowOfKnob(knob)
    const members = 'members' in row.shape ? Object.entries(row.shape.members) : [[knob, row] as const]
    return members.filter(([, each]) => isText(each)).map(([name]) => name)
  }),
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
