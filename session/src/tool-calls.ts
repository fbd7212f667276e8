import { randomBytes } from 'node:crypto'
import type { Tool, ToolCall } from '@switchroom/kit/vendor'
import type { CallBase } from '@switchroom/contract/knowledge'
import { isJsonObject } from './json-object.ts'
import { searchTools } from './knowledge/search-tools.ts'
import type { Instructions } from './parts.ts'

const longestId = 128

export interface OfferedTools {
  tools: readonly Tool[]
  /** The name under which the model may end the conversation; null if it may not. */
  hangUp: string | null
  /** By the name of the tool that searches it. */
  baseOf: ReadonlyMap<string, string>
}

/** What the model may ask for: the app's tools, those that search its bases and, if it may hang up, one for that. */
export function offeredTools(
  { tools: declared, hangup }: Instructions,
  searched: readonly CallBase[] = [],
): OfferedTools {
  const apps = declared.map(({ name, description, parameters }) => ({ name, description, parameters }))
  const { tools: searching, baseOf } = searchTools(searched, new Set(apps.map(({ name }) => name)))
  const tools = [...apps, ...searching]
  if (!hangup) return { tools, hangUp: null, baseOf }
  const taken = new Set(tools.map(({ name }) => name))
  let name = 'hang_up'
  for (let n = 2; taken.has(name); n += 1) name = `hang_up_${n}`
  const description = `Ends this conversation for good, after the words you say with it. Use it when: ${hangup.when}`
  const hangUp = { name, description, parameters: { type: 'object', properties: {} } }
  return { tools: [...tools, hangUp], hangUp: name, baseOf }
}

export interface JudgedCalls {
  /** All of them as the model is shown them again. */
  all: ToolCall[]
  /** Those that the app is asked. */
  asked: ToolCall[]
  /** Those that search a base, which no app is asked. */
  searches: ToolCall[]
  /** By the id of a tool call that no app can run: what the model reads. */
  refused: Map<string, string>
  hangsUp: boolean
}

/** An id that is missing, was used before, or is too long is replaced: it names one call for good. */
export function judgeCalls(
  calls: readonly ToolCall[],
  offered: OfferedTools,
  used: Set<string>,
): JudgedCalls {
  const judged: JudgedCalls = {
    all: [],
    asked: [],
    searches: [],
    refused: new Map(),
    hangsUp: false,
  }
  for (const { id: given, name, arguments: raw } of calls) {
    const id = given === '' || given.length > longestId || used.has(given) ? newCallId() : given
    used.add(id)
    const isWhole = raw.trim() === '' || isJsonObject(raw)
    const call = { id, name, arguments: raw.trim() !== '' && isWhole ? raw : '{}' }
    judged.all.push(call)
    if (name === offered.hangUp) judged.hangsUp = true
    else if (!offered.tools.some((tool) => tool.name === name))
      judged.refused.set(id, `There is no tool called ${name}.`)
    else if (!isWhole) judged.refused.set(id, `The arguments of ${name} are no JSON object: call it again.`)
    else if (offered.baseOf.has(name)) judged.searches.push(call)
    else judged.asked.push(call)
  }
  return judged
}

const newCallId = () => `call_${randomBytes(12).toString('hex')}`
