import type { Entry } from '@switchroom/contract/log'
import type { ToolCall } from '@switchroom/kit/vendor'
import type { Instructions, TurnParts } from './parts.ts'

/** A tool that takes longer than this is covered by its words. */
const afterMs = 1000

/** What is said while a tool runs: said to the caller and not to the model. */
export const isMeanwhile = ({ data }: Pick<Entry, 'data'>) => data['meanwhile'] === true

/** The words of the first of these tools that has some. */
export function wordsFor(tools: Instructions['tools'], calls: readonly ToolCall[]): string | undefined {
  for (const { name } of calls) {
    const words = tools.find((tool) => tool.name === name)?.while
    if (words !== undefined) return words
  }
  return undefined
}

/** Says the words unless the work is done before; rejects with what the work rejects with. */
export async function sayMeanwhile<T>(
  { voice, keep, newMessageId }: Pick<TurnParts, 'voice' | 'keep' | 'newMessageId'>,
  words: string,
  work: Promise<T>,
): Promise<T> {
  let saying: Promise<void> | undefined
  const timer = setTimeout(() => {
    if (voice) voice.meanwhile(words)
    else saying = keep([messageOf(words, newMessageId())])
    saying?.catch(() => {}) // the turn ends with what it keeps next
  }, afterMs)
  try {
    return await work
  } finally {
    clearTimeout(timer)
    await saying?.catch(() => {}) // before the answer in the log
  }
}

const messageOf = (text: string, messageId: string) => ({
  type: 'agent.message',
  data: { text, messageId, source: 'say', meanwhile: true },
})
