import {
  isCallExpression,
  isIdentifier,
  isNoSubstitutionTemplateLiteral,
  isPropertyAccessExpression,
  isStringLiteral,
  isTemplateHead,
  isTemplateMiddle,
  isTemplateTail,
} from 'typescript/unstable/ast/is'
import type { Expression, Node } from 'typescript/unstable/ast'
import type { Item } from './requirements-documents.ts'
import { parse, type Sources } from './sources.ts'

const testFunctions = new Set(['test', 'it', 'describe', 'suite'])
const anyId = /\b(?:[ISN]|ID|SD|ND|S?T)-\d{2,3}\b/g

/** The name of every test: what is written in the first argument of test, it, describe and suite. */
export async function readTestNames(sources: Sources): Promise<string[]> {
  const tests = Object.entries(sources).filter(([path]) => /\.test\.[cm]?[jt]sx?$/.test(path))
  const parsed = await parse(Object.fromEntries(tests))
  return [...parsed.values()].flatMap(namesIn)
}

function namesIn(node: Node): string[] {
  const names: string[] = []
  visit(node)
  return names

  function visit(inner: Node): void {
    const [name] = isCallExpression(inner) && isTestFunction(inner.expression) ? inner.arguments : []
    if (name) names.push(textOf(name))
    inner.forEachChild(visit)
  }
}

function isTestFunction(called: Expression): boolean {
  if (isIdentifier(called)) return testFunctions.has(called.text)
  if (!isPropertyAccessExpression(called)) return false
  if (called.name.text === 'only') return isTestFunction(called.expression)
  return testFunctions.has(called.name.text) // t.test; a test.skip or test.todo proves nothing
}

function textOf(node: Node): string {
  if (isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node)) return node.text
  if (isTemplateHead(node) || isTemplateMiddle(node) || isTemplateTail(node)) return node.text
  let text = ''
  node.forEachChild((inner) => {
    text += textOf(inner)
  })
  return text
}

/** Which items the names of tests name, and which names leave open whose trap they mean. */
export function match(items: Item[], testNames: string[]): { named: Set<Item>; unclear: string[] } {
  const byId = Map.groupBy(items, ({ id }) => id)
  const named = new Set<Item>()
  const unclear: string[] = []
  for (const name of testNames) {
    const ids = name.match(anyId) ?? []
    // Documents 1 and 3 both count traps from T-01: the other ids in the name say which is meant.
    const meant = new Set(
      ids
        .map((id) => byId.get(id) ?? [])
        .filter(isSingle)
        .map(([item]) => item.document),
    )
    for (const id of ids) {
      const candidates = byId.get(id) ?? []
      const chosen = isSingle(candidates)
        ? candidates
        : candidates.filter(({ document }) => meant.has(document))
      if (isSingle(chosen)) named.add(chosen[0])
      else if (candidates.length > 0) unclear.push(name)
    }
  }
  return { named, unclear }
}

function isSingle(items: Item[]): items is [Item] {
  return items.length === 1
}
