import type { NewEntry } from '@switchroom/contract/log'
import { greetingFor } from '@switchroom/session/greeting'
import { newId } from '../../foundation/secrets.ts'
import type { ResolvedSettings } from '../records/records.ts'
import { configRun, layersOf } from '../resolution/resolved-config.ts'

/** A fixed greeting comes before anything that the client may write. */
export function firstEntries(
  resolution: ResolvedSettings,
  metadata: Readonly<Record<string, unknown>> = {},
): NewEntry[] {
  const started = { type: 'chat.started', data: {} }
  const say = greetingFor(configRun(layersOf(resolution)).greeting, metadata)?.say
  if (say === undefined) return [started]
  return [started, { type: 'agent.message', data: { text: say, messageId: newId('msg', 12), source: 'say' } }]
}
