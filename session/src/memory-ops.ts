import { randomBytes } from 'node:crypto'
import { parsed } from './json-object.ts'
import type { Fact } from './parts.ts'

const mostOps = 20
const longestText = 500

export type MemoryOp =
  | { op: 'add'; id: string; text: string }
  | { op: 'update'; id: string; text: string; supersedes: string }
  | { op: 'delete'; id: string }

/** What a model wants to change about the facts, by their numbers from 1; whatever makes no sense is left out. */
export function memoryOpsIn(answer: string, facts: readonly Fact[]): MemoryOp[] {
  const unchanged = new Map(facts.map((fact, index) => [String(index + 1), fact]))
  const texts = new Set(facts.map(({ text }) => text))
  const ops: MemoryOp[] = []
  for (const asked of listIn(answer)) {
    const { op, note, text } = Object(asked) as Readonly<Record<string, unknown>>
    const fact = unchanged.get(String(note))
    const made = opOf(op, fact, textOf(text))
    if (!made || ('text' in made && texts.has(made.text))) continue
    if ('text' in made) texts.add(made.text)
    if (made.op !== 'add') unchanged.delete(String(note))
    if (ops.push(made) === mostOps) break
  }
  return ops
}

function opOf(op: unknown, fact: Fact | undefined, text: string): MemoryOp | null {
  if (op === 'delete') return fact ? { op, id: fact.id } : null
  if (text === '') return null
  if (op === 'add') return { op, id: newFactId(), text }
  return op === 'update' && fact ? { op, id: newFactId(), text, supersedes: fact.id } : null
}

/** Models write before and after their JSON, whatever their instructions say. */
function listIn(answer: string): unknown[] {
  const forms = [answer, between(answer, '{', '}'), between(answer, '[', ']')]
  for (const form of forms) {
    const value = parsed(form)
    if (Array.isArray(value)) return value
    const { ops } = Object(value) as { ops?: unknown }
    if (Array.isArray(ops)) return ops
  }
  return []
}

const between = (text: string, first: string, last: string) =>
  text.slice(Math.max(0, text.indexOf(first)), text.lastIndexOf(last) + 1)

const textOf = (given: unknown): string =>
  typeof given === 'string' ? Array.from(given.trim()).slice(0, longestText).join('').trim() : ''

const newFactId = () => `fact_${randomBytes(12).toString('hex')}`
