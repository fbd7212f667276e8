import type { InstalledVendors } from '@switchroom/kit/installed'
import { spokenSetup, type SpokenSetup } from '@switchroom/session/setup/spoken-setup'
import type { SpokenParts } from '@switchroom/session/spoken/spoken-parts'
import type { Logger } from 'pino'
import type { CallLog } from './call-log.ts'
import type { GatewayClient } from '../gateway-client.ts'

export interface PartsSources {
  gateway: GatewayClient
  vendors: InstalledVendors
  logger: Logger
  log: CallLog
}

export type AgentParts = SpokenSetup & Pick<SpokenParts, 'prepare' | 'runTools'>

/** What a call runs with under an agent: read anew if a line hands the call over to another one. */
export async function agentParts(
  { gateway, vendors, logger, log }: PartsSources,
  call: string,
  agent: string,
): Promise<AgentParts> {
  const app = gateway.instructions(call)
  app.catch(() => {}) // awaited once the vendors are known
  const [settings, keys] = await Promise.all([gateway.config(agent, call), gateway.providerKeys(agent, call)])
  return {
    ...(await spokenSetup({
      vendors,
      settings,
      keys,
      app,
      search: (base, query, signal) => gateway.lookUp(call, { base, query }, signal),
      onBrokenVendor: (err, stage, vendor) => logger.error({ err, vendor, stage }, 'cannot build a vendor'),
    })),
    prepare: async (generation) => (await gateway.prepare(call, generation)).set,
    runTools: async (msgId, calls) => {
      await log.flushed() // the log shows what was said before the tools that the model asks for
      return (await gateway.runTools(call, { msgId, calls: [...calls] })).outcomes
    },
  }
}
