import { declarableNames, knobsOfName, type DeclarableName, type Knob } from '@switchroom/contract/knobs'
import { declarableHalves, type Config } from '@switchroom/contract/settings'
import { badRequest, Refusal } from '../../foundation/refusals.ts'
import { whyMisshapen } from '../knobs/knob-checks.ts'
import { readLexicon } from '../lexicon/lexicon-shape.ts'
import type { Declared } from '../stages/layers.ts'
import type { Declaration } from '../stages/declaration.ts'

const declarable: readonly string[] = [...declarableNames, ...declarableHalves]

/** What a class declares, name by name in the order of the table. */
export function readDeclares(declares: Record<string, unknown>): Omit<Declaration, 'app'> {
  const unknown = Object.keys(declares).find((name) => !declarable.includes(name))
  if (unknown !== undefined)
    throw badRequest(`a class cannot declare \`${unknown}\`: it declares ${declarable.join(', ')}`)
  const named = declarableNames.filter((name) => Object.hasOwn(declares, name))
  const declared: Declared = Object.fromEntries(named.map((name) => [name, configOf(name, declares[name])]))
  const { says, hears } = declares
  return {
    declared,
    ...(says !== undefined && { says: inWordsOfClass(() => readLexicon({ said: says }).said) }),
    ...(hears !== undefined && { hears: inWordsOfClass(() => readLexicon({ heard: hears }).heard) }),
  }
}

/** The knobs that a declared value states: its own, or as an object itself and those that go with it. */
function configOf(name: DeclarableName, value: unknown): Config {
  const [own, ...dependents] = knobsOfName(name) as [Knob, ...Knob[]] // every name has a knob
  if (dependents.length === 0 || !isRecord(value)) return { [own]: fitting(name, own, value) }
  const stated = Object.entries(value)
  if (stated.length === 0) throw badRequest(`\`${name}\` declares nothing`)
  return Object.fromEntries(stated.map(([knob, part]) => [knob, fitting(name, memberOf(name, knob), part)]))
}

function memberOf(name: DeclarableName, member: string): Knob {
  const knob = knobsOfName(name).find((known) => known === member)
  if (knob === undefined)
    throw badRequest(`\`${name}\` has no ${member}: it takes ${knobsOfName(name).join(', ')}`)
  return knob
}

function fitting(name: DeclarableName, knob: Knob, value: unknown): unknown {
  const why = whyMisshapen(knob, value)
  if (why === undefined) return value
  throw badRequest(name === 'docs' ? why.replace(`\`${knob}\``, `\`${name}\``) : why)
}

/** A class says `says` and `hears`; a lexicon says `said` and `heard`. */
function inWordsOfClass<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw badRequest(error.message.replace(/^`said/, '`says').replace(/^`heard/, '`hears'))
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
