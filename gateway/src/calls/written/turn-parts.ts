import type { Entry, NewEntry } from '@switchroom/contract/log'
import type { Config } from '@switchroom/contract/settings'
import type { InstalledVendors } from '@switchroom/kit/installed'
import type { SearchBase } from '@switchroom/session/knowledge/look-up'
import type { TurnParts } from '@switchroom/session/parts'
import { CallKnowledge } from '@switchroom/session/knowledge/call-knowledge'
import { callSetup } from '@switchroom/session/setup/call-setup'
import { lexiconUnder } from '../../agents/stages/declaration.ts'
import { newId } from '../../foundation/secrets.ts'
import type { AppRequests, AssignedApp } from '../app-requests/app-requests.ts'
import type { Tools } from '../app-requests/tools.ts'
import type { CallRecords } from '../records/records.ts'
import type { CallBases } from '../knowledge/call-bases.ts'
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
  callBases: Pick<CallBases, 'of' | 'lookUpIn'>
}

/** Everything that a turn of a written call runs with, read anew for each turn. */
export async function turnParts(
  { vendors, records, models, appRequests, tools, memories, callBases }: TurnSources,
  head: WrittenCallRecord,
  app: AssignedApp,
  log: { entries: readonly Entry[]; keep: (entries: readonly NewEntry[]) => Promise<void> },
): Promise<TurnParts> {
  const resolution = await records.resolve(head, head.id, 'chat')
  const config = configRun(layersOf(resolution))
  const { bases: named = [] }: Config = config
  const [chosen, facts, bases] = await Promise.all([
    models.chosen(head, resolution),
    memories.factsOf(head),
    callBases.of(head, named),
  ])
  const nowMs = () => performance.now()
  const search: SearchBase = async (base, query, signal) => {
    const { base: name = base, ...how } = named.find((one) => one.base === base) ?? {}
    return callBases.lookUpIn(head, { base: name, ...how }, query, signal)
  }
  return {
    ...log,
    ...callSetup(vendors, {
      config,
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
    knowledge: bases.length > 0 ? new CallKnowledge({ bases, search, nowMs }) : undefined,
    nowMs,
  }
}
