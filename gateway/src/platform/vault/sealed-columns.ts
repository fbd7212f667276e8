import type { Environment } from '@switchroom/contract/scopes'
import type { SealedPlace } from '../../foundation/sealing.ts'
import { placeOf as documentPlace } from '../../knowledge/documents/documents.ts'
import { placeOf as letterPlace } from '../../mail/letters.ts'
import { placeOf as mailboxPlace } from '../../mail/mailboxes.ts'
import { placeOf as begunSignInPlace } from '../../people/sso/begun-sign-ins.ts'
import { placeOf as identityProviderPlace } from '../../people/sso/providers.ts'
import { sealedAt as endpointPlace } from '../../providers/endpoints/model-endpoints.ts'
import { sealedAt as providerKeyPlace } from '../../providers/keys/provider-keys.ts'
import { placeOf as carrierAccountPlace } from '../../telephony/carriers/accounts.ts'
import { placeOf as fencePlace } from '../../telephony/worker-offers/fence-lists.ts'
import { placeOf as placementOfferPlace } from '../../telephony/worker-offers/placement-offers.ts'
import { placeOf as trunkTestPlace } from '../../telephony/worker-offers/trunk-test-offers.ts'
import { placeOf as outboundCredentialPlace } from '../../telephony/outbound/provisioning.ts'
import { placeOf as webhookPlace } from '../../webhooks/signing/signing-secrets.ts'

/** Values of a row's key, as text. */
type RowKey = Readonly<Record<string, string>>

export interface SealedColumn {
  table: string
  column: string
  /** SQL of what names the row, by the names that the place takes. */
  key: Readonly<Record<string, string>>
  place: (key: RowKey) => SealedPlace
}

function sealed<Name extends string>(
  table: string,
  column: string,
  key: Readonly<Record<Name, string>>,
  place: (key: Record<Name, string>) => SealedPlace,
): SealedColumn {
  return { table, column, key, place: place as (key: RowKey) => SealedPlace }
}

/** Every column that holds values sealed under the vault key, beside the deployment's own check. */
export const sealedColumns: readonly SealedColumn[] = [
  sealed('mailboxes', 'password', { owner: 'owner' }, ({ owner }) => mailboxPlace(owner)),
  sealed('letters', 'letter', { id: 'id' }, ({ id }) => letterPlace(id)),
  sealed('identity_providers', 'client_secret', { org: 'org' }, ({ org }) => identityProviderPlace(org)),
  sealed('sso_sign_ins', 'secrets', { digest: `encode(digest, 'hex')` }, ({ digest }) =>
    begunSignInPlace(Buffer.from(digest, 'hex')),
  ),
  sealed('provider_keys', 'sealed', { org: 'org', vendor: 'vendor' }, ({ org, vendor }) =>
    providerKeyPlace({ org, env: null }, vendor),
  ),
  sealed(
    'environment_provider_keys',
    'sealed',
    { org: 'org', env: 'env', vendor: 'vendor' },
    ({ org, env, vendor }) => providerKeyPlace({ org, env: env as Environment }, vendor),
  ),
  sealed('model_endpoints', 'sealed', { org: 'org', env: 'env', name: 'name' }, ({ org, env, name }) =>
    endpointPlace({ org, env: env as Environment, name }),
  ),
  sealed('carrier_accounts', 'sealed', { org: 'org', account: 'account' }, ({ org, account }) =>
    carrierAccountPlace(org, account),
  ),
  sealed('outbound_credentials', 'password', { org: 'org', account: 'account' }, ({ org, account }) =>
    outboundCredentialPlace(org, account),
  ),
  sealed('fences', 'pair', { name: 'name' }, ({ name }) => fencePlace(name)),
  sealed('placement_offers', 'sealed', { call: 'call' }, ({ call }) => placementOfferPlace(call)),
  sealed('webhook_endpoints', 'sealed', { id: 'id' }, ({ id }) => webhookPlace(id)),
  sealed('knowledge_documents', 'sealed', { id: 'id' }, ({ id }) => documentPlace(id)),
  sealed('trunk_test_offers', 'sealed', { id: 'id' }, ({ id }) => trunkTestPlace(id)),
]
