import type { CallBase } from '@switchroom/contract/knowledge'
import type { Tool, ToolCall } from '@switchroom/kit/vendor'

/** What the vendors take. */
const longestName = 64

/** The tools with which a model searches, under names that no other tool has. */
export function searchTools(
  bases: readonly CallBase[],
  taken: ReadonlySet<string>,
): { tools: Tool[]; baseOf: Map<string, string> } {
  const baseOf = new Map<string, string>()
  const tools = bases.map(({ base, description }): Tool => {
    const name = freeName(`search_${base.replaceAll(/[^a-zA-Z0-9_-]/g, '_')}`, taken, baseOf)
    baseOf.set(name, base)
    return { name, description: descriptionOf(base, description), parameters }
  })
  return { tools, baseOf }
}

function freeName(wanted: string, taken: ReadonlySet<string>, used: ReadonlyMap<string, string>): string {
  let name = wanted.slice(0, longestName)
  for (let n = 2; taken.has(name) || used.has(name); n += 1)
    name = `${wanted.slice(0, longestName - 1 - String(n).length)}_${n}`
  return name
}

const descriptionOf = (base: string, description: string) =>
  `Searches the documents of “${base}” and answers with the passages that fit best.${description.trim() && ` What they hold: ${description.trim()}`}`

const parameters = {
  type: 'object',
  properties: {
    query: {
      type: 'string',
      description:
        'What to look for, in the words that the documents may use, and whole: not “it” or “there”.',
    },
  },
  required: ['query'],
}

/** What the model wants to know; empty if it did not say. */
export function queryOf({ arguments: given }: Pick<ToolCall, 'arguments'>): string {
  const { query } = JSON.parse(given) as { query?: unknown }
  return typeof query === 'string' ? query.trim() : ''
}
