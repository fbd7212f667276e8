import {
  AccessVerdict,
  AskAccess,
  RateList,
  SaveCredentials,
  SavedCredentials,
} from '@switchroom/contract/rates'
import { anyKey, open, scope } from '../../http/access.ts'
import type { Server } from '../../http/server.ts'
import type { ProviderKeys } from '../keys/provider-keys.ts'
import type { ModelAccess } from './model-access.ts'

/** Served on the dashboard's listener. */
export function modelAccessRoutes(server: Server, modelAccess: ModelAccess, providerKeys: ProviderKeys) {
  server.get(
    '/api/rates/models',
    { access: open, schema: { summary: 'Every priced model', response: { 200: RateList } } },
    () => modelAccess.list(),
  )

  server.get(
    '/api/models/access',
    {
      access: anyKey,
      schema: {
        summary: 'Whether the org may run a model, and why not',
        querystring: AskAccess,
        response: { 200: AccessVerdict },
      },
    },
    ({ caller, query }) => modelAccess.verdict(caller.org, query.service, query.model),
  )

  server.put(
    '/api/credentials',
    {
      access: scope('providers', 'app'),
      schema: {
        summary: "Save the org's own key for a provider",
        body: SaveCredentials,
        response: { 200: SavedCredentials },
      },
    },
    async ({ caller, body: { provider, apiKey } }) => {
      await providerKeys.put(caller, provider, { key: apiKey })
      return { provider, saved: true as const }
    },
  )
}
