import type { Entry, NewEntry } from '@switchroom/contract/log'
import type { TurnParts } from '@switchroom/session/parts'
import { newId } from '../../foundation/secrets.ts'
import type { AppRequests, AssignedApp } from '../app-requests/app-requests.ts'
import type { Tools } from '../app-requests/tools.ts'
import type { CallRecords } from '../records/records.ts'
import { instructionsOf } from './call-instructions.ts'
import type { CallModels } from './call-models.ts'
import type { Memories } from '../memory/memories.ts'
import type { WrittenCallRecord } from './written-calls.store.ts'

export interface TurnSources {
  records: CallRecords
  models: CallModels
  appRequests: AppRequests
  tools: Tools
  memories: Memories
}

/** Where a turn of a written call runs, as everything stands now. */
export async function turnParts(
  { records, models, appRequests, tools, memories }: TurnSources,
  head: WrittenCallRecord,
  app: AssignedApp,
  log: { entries: readonly Entry[]; keep: (entries: readonly NewEntry[]) => Promise<void> },
): Promise<TurnParts> {
  const resolution = await records.resolve(head, head.id, 'chat')
  const [runs, facts] = await Promise.all([models.runs(head, resolution), memories.factsOf(head)])
  return {
    ...log,
    instructions: instructionsOf(resolution, app.offer, facts),
    models: runs,
    prepare: (generation) => appRequests.prepare(head, generation),
    runTools: (_msgId, calls) => tools.run(head, calls),
    newMessageId: () => newId('msg', 12),
    nowMs: () => performance.now(),
  }
}
