import type { Entry, NewEntry } from '@switchroom/contract/log'
import type { TurnParts } from '@switchroom/session/parts'
import { newId } from '../../foundation/secrets.ts'
import type { Driving, DrivingApp } from '../driving/driving.ts'
import type { Tools } from '../driving/tools.ts'
import type { CallHeads } from '../heads/heads.ts'
import { instructionsOf } from './call-instructions.ts'
import type { CallModels } from './call-models.ts'
import type { Memories } from './memories.ts'
import type { WrittenHead } from './running.store.ts'

export interface TurnSources {
  heads: CallHeads
  models: CallModels
  driving: Driving
  tools: Tools
  memories: Memories
}

/** Where a turn of a written call runs, as everything stands now. */
export async function turnParts(
  { heads, models, driving, tools, memories }: TurnSources,
  head: WrittenHead,
  app: DrivingApp,
  log: { entries: readonly Entry[]; keep: (entries: readonly NewEntry[]) => Promise<void> },
): Promise<TurnParts> {
  const resolution = await heads.resolve(head, head.id, 'chat')
  const [runs, facts] = await Promise.all([models.runs(head, resolution), memories.factsOf(head)])
  return {
    ...log,
    instructions: instructionsOf(resolution, app.offer, facts),
    models: runs,
    prepare: (generation) => driving.prepare(head, generation),
    runTools: (_msgId, calls) => tools.run(head, calls),
    newMessageId: () => newId('msg', 12),
    nowMs: () => performance.now(),
  }
}
