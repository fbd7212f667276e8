import { analyse } from 'scslre'
import type { CallExpression, NewExpression, Node, SourceFile } from 'typescript/unstable/ast'
import {
  isBinaryExpression,
  isCallExpression,
  isIdentifier,
  isNewExpression,
  isNoSubstitutionTemplateLiteral,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isRegularExpressionLiteral,
  isStringLiteral,
  isTemplateExpression,
} from 'typescript/unstable/ast/is'
import { boundedPatterns } from './bounded-patterns.ts'
import { isAmbiguous } from './pattern-ambiguity.ts'
import { parse, type Sources } from './sources.ts'

/** A regular expression that a source writes down. */
interface Pattern {
  file: string
  source: string
  flags: string
}

const checks = /^(?:tools|e2e|bench)\//
const isShipped = (path: string) =>
  !checks.test(path) && !path.includes('/testing/') && !/\.test\.[cm]?[jt]sx?$/.test(path)

/** One sentence for each expression of the shipped sources that outside text could make slow. */
export async function slowPatterns(sources: Sources, bounded = boundedPatterns): Promise<string[]> {
  const shipped = Object.fromEntries(Object.entries(sources).filter(([path]) => isShipped(path)))
  const files = [...(await parse(shipped))]
  const patterns = files.flatMap(([file, parsed]) => patternsIn(file, parsed))
  const slow = patterns.filter(isSlow).map((pattern) => ({ ...pattern, literal: written(pattern) }))
  const isListed = ({ file, literal }: { file: string; literal: string }) =>
    bounded.some((listed) => listed.file === file && listed.pattern === literal)
  const idle = bounded.filter(
    (listed) => !slow.some(({ file, literal }) => listed.file === file && listed.pattern === literal),
  )
  return [
    ...files.flatMap(([file, parsed]) => builtIn(file, parsed)),
    ...slow
      .filter((pattern) => !isListed(pattern))
      .map(({ file, literal }) => `${file}: ${literal} is not linear in what it reads`),
    ...idle.map(
      ({ file, pattern }) => `${file}: ${pattern} is listed as bounded and is not there, or is linear`,
    ),
  ]
}

/** Literals, and what schemas name as `pattern`. */
function patternsIn(file: string, parsed: SourceFile): Pattern[] {
  return nodesOf(parsed).flatMap((node) => {
    if (isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/')
      return { file, source: node.text.slice(1, end), flags: node.text.slice(end + 1) }
    }
    const isOfSchema = isPropertyAssignment(node) && isIdentifier(node.name) && node.name.text === 'pattern'
    if (isOfSchema && isText(node.initializer)) return { file, source: node.initializer.text, flags: 'u' }
    if (isBuilding(node) && node.arguments?.[0] && isText(node.arguments[0]))
      return { file, source: node.arguments[0].text, flags: '' }
    return []
  })
}

/** Expressions that are made from anything but literal text. */
function builtIn(file: string, parsed: SourceFile): string[] {
  return nodesOf(parsed)
    .filter((node) => {
      const [first] = isBuilding(node) ? (node.arguments ?? []) : []
      return isBuilding(node) ? !first || !isText(first) : isMatchingText(node)
    })
    .map(() => `${file}: builds a regular expression at run time; write it as a literal, or compare text`)
}

const isBuilding = (node: Node): node is NewExpression | CallExpression =>
  (isNewExpression(node) || isCallExpression(node)) && nameOf(node.expression) === 'RegExp'

/** These make an expression of a text they are given. */
const matching = new Set(['match', 'matchAll', 'search'])
const isMatchingText = (node: Node) =>
  isCallExpression(node) &&
  isPropertyAccessExpression(node.expression) &&
  matching.has(nameOf(node.expression)) &&
  node.arguments.length === 1 &&
  node.arguments.some((argument) => isTemplateExpression(argument) || isBinaryExpression(argument))

function nameOf(node: Node): string {
  if (isPropertyAccessExpression(node)) return nameOf(node.name)
  return isIdentifier(node) ? node.text : ''
}

const isText = (node: Node) => isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node)

function nodesOf(node: Node): Node[] {
  const nodes = [node]
  node.forEachChild((child) => void nodes.push(...nodesOf(child)))
  return nodes
}

const written = ({ source, flags }: Pattern) => `/${source}/${flags}`

const isSlow = (pattern: Pattern) => analyse(pattern).reports.length > 0 || isAmbiguous(pattern)
