import { unspoken } from '@switchroom/kit/turns'
import type { Conversation, Message, Model, Thought, Tool } from '@switchroom/kit/vendor'
import { disclosures, type Phrases, phrasesFor } from './demonstration-phrases.ts'
import { placeIn, zoneIn } from './demonstration-places.ts'
import { argumentsSaid, hasZone, missingOf, toolSaid } from './demonstration-tools.ts'

/** Follows a few rules and says that it is no language model. Used when there is none. */
export const demonstrationModel: Model = {
  async *think(conversation, signal): AsyncIterable<Thought> {
    const { messages, tools = [] } = conversation
    const phrases = phrasesOf(conversation)
    const wanted = wantedOf(messages, tools, phrases)
    if (wanted?.args) {
      const said = JSON.stringify(wanted.args)
      yield { type: 'call', id: `call_${messages.length}`, name: wanted.tool.name, arguments: said }
      return
    }
    const answer = wanted?.asks ?? replyTo(messages.at(-1), saidIn(messages), phrases)
    const words = (hasAnswered(messages) ? answer : `${phrases.disclosure} ${answer}`).split(/(?<=\s)/u)
    for (const text of words) {
      signal.throwIfAborted()
      yield { type: 'text', text }
    }
    yield { type: 'usage', inputTokens: wordsIn(messages), outputTokens: words.length }
  },
}

const saidIn = (messages: readonly Message[]) =>
  messages.flatMap(({ role, text }) => (role === 'user' && text !== unspoken ? [text] : []))

function phrasesOf({ messages }: Conversation): Phrases {
  const prompt = messages.filter(({ role }) => role === 'system').map(({ text }) => text)
  return phrasesFor(prompt.join('\n'), saidIn(messages).join('\n'))
}

/** An interrupted answer counts too: who cut it short does not want to hear its beginning again. */
function hasAnswered(messages: readonly Message[]): boolean {
  const first = messages.findIndex(({ role, text }) => role === 'user' && text !== unspoken)
  return messages.some(
    ({ role, text }, at) =>
      role === 'assistant' &&
      text !== '' &&
      ((first >= 0 && at > first) || disclosures.some((disclosure) => text.includes(disclosure))),
  )
}

interface Wanted {
  tool: Tool
  /** Null while something is missing, for which it asks. */
  args: Record<string, unknown> | null
  asks?: string
}

/** The tool that the person named now, or named before its question for what was missing. */
function wantedOf(
  messages: readonly Message[],
  tools: readonly Tool[],
  phrases: Phrases,
): Wanted | undefined {
  const last = messages.at(-1)
  if (last?.role !== 'user') return undefined
  const [beforeLast, asked] = [messages.at(-3), messages.at(-2)]
  const before = beforeLast?.role === 'user' && asked?.role === 'assistant' ? beforeLast.text : ''
  const earlier = before === '' ? undefined : toolSaid(before, tools)
  const wasAsked = earlier && asked?.text.includes(phrases.need(listOf(before, earlier)))
  const tool = wasAsked ? earlier : toolSaid(last.text, tools)
  if (!tool) return undefined
  const words = wasAsked ? `${before} ${last.text}` : last.text
  const args = argumentsSaid(words, tool)
  const missing = missingOf(args, tool)
  if (missing.length > 0) return { tool, args: null, asks: phrases.need(missing.join(', ')) }
  const place = hasZone(tool) ? placeIn(words) : undefined
  if (place !== undefined && zoneIn(words) === undefined)
    return { tool, args: null, asks: phrases.unknownPlace(place) }
  return { tool, args }
}

const listOf = (words: string, tool: Tool) => missingOf(argumentsSaid(words, tool), tool).join(', ')

function replyTo(last: Message | undefined, said: readonly string[], phrases: Phrases): string {
  if (last?.role === 'tool') return sentenceOf(last.text)
  const words = said.at(-1)?.trim() ?? ''
  const name = nameIn(said, phrases)
  const told = phrases.nameTold.exec(words)?.[1]
  if (told !== undefined) return phrases.glad(told)
  if (phrases.nameAsked.test(words)) return name === undefined ? phrases.noName : phrases.yourName(name)
  if (phrases.timeAsked.test(words)) return timeFor(words, phrases)
  if (phrases.greeting.test(words)) return phrases.greet(name)
  if (phrases.thanks.test(words)) return phrases.welcome
  return words === '' ? phrases.nothing : phrases.understood(words)
}

function timeFor(words: string, phrases: Phrases): string {
  const zone = zoneIn(words)
  const place = placeIn(words)
  if (zone !== undefined) return phrases.timeIn(clockTime(zone), place ?? cityOf(zone))
  return place === undefined ? phrases.time(clockTime()) : phrases.unknownPlace(place)
}

const cityOf = (zone: string) => zone.slice(zone.lastIndexOf('/') + 1).replaceAll('_', ' ')

function sentenceOf(text: string): string {
  const words = text.trim()
  const begun = words.charAt(0).toUpperCase() + words.slice(1)
  return /[.!?…}\]]$/u.test(begun) ? begun : `${begun}.`
}

const nameIn = (said: readonly string[], { nameTold }: Phrases) =>
  said.map((words) => nameTold.exec(words)?.[1]).findLast((name) => name !== undefined)

const clockTime = (timeZone?: string) =>
  new Date().toLocaleTimeString('en-GB', {
    hour: '2-digit',
    minute: '2-digit',
    ...(timeZone !== undefined && { timeZone }),
  })

const wordsIn = (messages: readonly Message[]) =>
  messages.reduce((sum, { text }) => sum + text.split(/\s+/u).filter((word) => word !== '').length, 0)
