import type { Entry } from '@switchroom/contract/log'
import { untilAborted } from '@switchroom/kit/until-aborted'
import type { TurnParts } from './parts.ts'
import { Turn, type TurnEnd } from './turn.ts'

/** Whether the conversation has begun, so that no greeting is due any more. */
export const isOpened = (entries: readonly Pick<Entry, 'type'>[]): boolean =>
  entries.some(({ type }) => openingTypes.has(type))

const openingTypes = new Set(['user.message', 'agent.message', 'llm.toolCall', 'metrics', 'error'])

/** Says what the agent says first, or lets the model say it; without a greeting the user begins. */
export async function runOpening(parts: TurnParts, signal: AbortSignal): Promise<TurnEnd> {
  const { greeting } = parts.instructions
  signal.throwIfAborted()
  if (greeting?.say !== undefined) {
    const data = { text: greeting.say, messageId: parts.newMessageId(), source: 'say' }
    await untilAborted(parts.keep([{ type: 'agent.message', data }]), signal)
  }
  if (greeting?.reply === undefined) return { ends: false }
  return new Turn(parts, signal, greeting.reply).run()
}
