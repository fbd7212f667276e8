import type { Entry, NewEntry } from '@switchroom/contract/log'
import type { InstalledVendors } from '@switchroom/kit/installed'
import type { TurnParts } from '@switchroom/session/parts'
import { callSetup } from '@switchroom/session/setup/call-setup'
import { lexiconUnder } from '../../agents/stages/declaration.ts'
import { newId } from '../../foundation/secrets.ts'
import type { AppRequests, AssignedApp } from '../app-requests/app-requests.ts'
import type { Tools } from '../app-requests/tools.ts'
import type { CallRecords } from '../records/records.ts'
import { configRun, layersOf } from '../resolution/resolved-config.ts'
import type { CallModels } from './call-models.ts'
import type { Memories } from '../memory/memories.ts'
import type { WrittenCallRecord } from './written-calls.store.ts'

export interface TurnSources {
  vendors: InstalledVendors
  records: CallRecords
  models: CallModels
  appRequests: AppRequests
  tools: Tools
  memories: Memories
}

/** Everything that a turn of a written call runs with, read anew for each turn. */
export async function turnParts(
  { vendors, records, models, appRequests, tools, memories }: TurnSources,
  head: WrittenCallRecord,
  app: AssignedApp,
  log: { entries: readonly Entry[]; keep: (entries: readonly NewEntry[]) => Promise<void> },
): Promise<TurnParts> {
  const resolution = await records.resolve(head, head.id, 'chat')
  const [chosen, facts] = await Promise.all([models.chosen(head, resolution), memories.factsOf(head)])
  return {
    ...log,
    ...callSetup(vendors, {
      config: configRun(layersOf(resolution)),
      lexicon: lexiconUnder(resolution.declaration, resolution.lexicon),
      prompt: app.offer.prompt ?? null,
      tools: app.offer.tools,
      facts,
      metadata: app.metadata,
      models: chosen,
    }),
    prepare: (generation) => appRequests.prepare(head, generation),
    runTools: (_msgId, calls) => tools.run(head, calls, { tools: app.offer.tools }),
    newMessageId: () => newId('msg', 12),
    nowMs: () => performance.now(),
  }
}
