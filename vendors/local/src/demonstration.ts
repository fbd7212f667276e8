import { unspoken } from '@switchroom/kit/turns'
import type { Conversation, Message, Model, Thought } from '@switchroom/kit/vendor'
import { disclosures, type Phrases, phrasesFor } from './demonstration-phrases.ts'
import { argumentsSaid, toolSaid } from './demonstration-tools.ts'

/** Follows a few rules and says that it is no language model. Used when there is none. */
export const demonstrationModel: Model = {
  async *think(conversation, signal): AsyncIterable<Thought> {
    const last = conversation.messages.at(-1)
    const tool = last?.role === 'user' ? toolSaid(last.text, conversation.tools ?? []) : undefined
    if (last && tool) {
      const said = JSON.stringify(argumentsSaid(last.text, tool))
      yield { type: 'call', id: `call_${conversation.messages.length}`, name: tool.name, arguments: said }
      return
    }
    const words = answerTo(conversation).split(/(?<=\s)/u)
    for (const text of words) {
      signal.throwIfAborted()
      yield { type: 'text', text }
    }
    yield { type: 'usage', inputTokens: wordsIn(conversation.messages), outputTokens: words.length }
  },
}

function answerTo({ messages }: Conversation): string {
  const said = messages.flatMap(({ role, text }) => (role === 'user' && text !== unspoken ? [text] : []))
  const prompt = messages.filter(({ role }) => role === 'system').map(({ text }) => text)
  const phrases = phrasesFor(prompt.join('\n'), said.join('\n'))
  const hasSaidWhatItIs = messages.some(
    ({ role, text }) => role === 'assistant' && disclosures.some((disclosure) => text.includes(disclosure)),
  )
  const answer = replyTo(messages.at(-1), said, phrases)
  return hasSaidWhatItIs ? answer : `${phrases.disclosure} ${answer}`
}

function replyTo(last: Message | undefined, said: readonly string[], phrases: Phrases): string {
  if (last?.role === 'tool') return phrases.result(last.name.replaceAll('_', ' '), last.text)
  const words = said.at(-1)?.trim() ?? ''
  const name = nameIn(said, phrases)
  const told = phrases.nameTold.exec(words)?.[1]
  if (told !== undefined) return phrases.glad(told)
  if (phrases.nameAsked.test(words)) return name === undefined ? phrases.noName : phrases.yourName(name)
  if (phrases.timeAsked.test(words)) return phrases.time(clockTime())
  if (phrases.greeting.test(words)) return phrases.greet(name)
  if (phrases.thanks.test(words)) return phrases.welcome
  return words === '' ? phrases.nothing : phrases.understood(words)
}

const nameIn = (said: readonly string[], { nameTold }: Phrases) =>
  said.map((words) => nameTold.exec(words)?.[1]).findLast((name) => name !== undefined)

const clockTime = () => new Date().toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })

const wordsIn = (messages: readonly Message[]) =>
  messages.reduce((sum, { text }) => sum + text.split(/\s+/u).filter((word) => word !== '').length, 0)
