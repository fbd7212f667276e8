import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'

const contract = '@switchroom/contract/'
const specifiers = /(\bfrom\s+|\bimport\(|^import\s+)(['"])([^'"]+)\2/gm

/**
 * Writes the declarations that the SDK's entry needs, the contract's among them: an author installs one package, and
 * no second copy of the contract can disagree with it. Returns the names of the classes among them.
 */
export function writeSdkDeclarations(compiled: string, into: string): Set<string> {
  const classes = new Set<string>()
  const waiting = ['sdk/src/sdk.d.ts']
  const written = new Set<string>()
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (written.has(file)) continue
    written.add(file)
    const here = file
    const text = readFileSync(join(compiled, file), 'utf8')
    const moved = text.replaceAll(specifiers, (whole: string, start: string, quote: string, name: string) => {
      const target = targetOf(here, name)
      if (target === undefined) return whole
      waiting.push(target)
      const path = posix.relative(posix.dirname(placeOf(here)), placeOf(target)).replace(/\.d\.ts$/, '.js')
      return `${start}${quote}${path.startsWith('.') ? path : `./${path}`}${quote}`
    })
    // one with type parameters could not be passed on by the CommonJS entry, which exports none
    for (const [, name = ''] of text.matchAll(/^export declare class (\w+)(?!\w|<)/gm)) classes.add(name)
    const place = join(into, placeOf(file))
    mkdirSync(dirname(place), { recursive: true })
    writeFileSync(place, moved)
  }
  return classes
}

/** The declarations that an import leads to; undefined for other packages. */
function targetOf(file: string, name: string): string | undefined {
  if (name.startsWith(contract)) return `contract/src/${name.slice(contract.length)}.d.ts`
  if (name.startsWith('@switchroom/')) throw new Error(`${file} names ${name}, which is not published`)
  if (!name.startsWith('.')) return undefined
  return posix.join(posix.dirname(file), name.replace(/\.[jt]s$/, '.d.ts'))
}

const placeOf = (file: string) => file.replace(/^sdk\/src\//, '').replace(/^contract\/src\//, 'contract/')

/** What the SDK's entry exports, by the package it comes from; undefined is the SDK itself. */
export interface Exported {
  values: string[]
  types: string[]
  /** Values of other packages, such as TypeBox's `Type`. */
  foreign: Map<string, string[]>
}

export function exportedNames(entry: string): Exported {
  const exported: Exported = { values: [], types: [], foreign: new Map() }
  for (const [, isType, list = '', from = ''] of entry.matchAll(
    /^export (type )?\{([^}]*)\} from '([^']+)'/gm,
  ))
    for (const each of list.split(',').map((name) => name.trim())) {
      if (each === '') continue
      const [, typeOnly, name = ''] = /^(type )?(\w+)$/.exec(each) ?? []
      if (name === '') throw new Error(`sdk.ts exports ${each}, which the build cannot read`)
      if (isType || typeOnly) exported.types.push(name)
      else if (from.startsWith('.')) exported.values.push(name)
      else exported.foreign.set(from, [...(exported.foreign.get(from) ?? []), name])
    }
  return exported
}

/** The ES module is the CommonJS one under another name, so that a process that loads both has each class once. */
export const moduleEntry = ({ values, foreign }: Exported) =>
  `export {\n${[...values, ...[...foreign.values()].flat()].map((name) => `  ${name},\n`).join('')}} from './sdk.cjs'\n`

/** The types of the CommonJS entry are those of the ES module, so that both entries' classes are the same type. */
export function commonDeclarations(
  { values, types, foreign }: Exported,
  classes: ReadonlySet<string>,
): string {
  const where = `'./types/sdk.js' with { 'resolution-mode': 'import' }`
  return [
    `import type * as sdk from ${where}`,
    `export type {\n${types.map((name) => `  ${name},\n`).join('')}} from ${where}`,
    ...[...foreign].map(([from, names]) => `export { ${names.join(', ')} } from '${from}'`),
    ...values.flatMap((name) => [
      `export declare const ${name}: typeof sdk.${name}`,
      ...(classes.has(name) ? [`export type ${name} = sdk.${name}`] : []),
    ]),
    '',
  ].join('\n')
}
