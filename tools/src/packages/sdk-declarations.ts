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
