import type { AuditAction } from '@switchroom/contract/audit'

type AuditedRoutes = Record<string, readonly AuditAction[]>

/** What follows from a change by another person, wherever that was made. */
export const consequences: readonly AuditAction[] = ['member.reopened', 'webhook.paused']

/** What changes people, keys and ways to sign in, with what each records. */
export const peopleRoutes: AuditedRoutes = {
  'POST /v1/members': ['member.invited'],
  'PATCH /v1/members/:id': ['member.changed'],
  'DELETE /v1/members/:id': ['member.removed'],
  'POST /v1/members/:id/reset': ['password.reset_asked'],
  'POST /v1/invitations/:token': ['member.joined', 'password.set'],
  'POST /v1/login': ['person.signed_in', 'member.joined'],
  'POST /v1/login/reset': ['password.reset_asked'],
  'POST /v1/login/org': ['person.signed_in', 'member.joined', 'org.visited'],
  'POST /v1/login/pairings/:code': ['pairing.approved', 'org.visited'],
  'GET /v1/login/pairings/:code/key': ['person.signed_in'],
  'GET /v1/login/sso/callback/:org': ['member.joined'],
  'POST /v1/signup/verify': ['org.created', 'member.joined'],
  'POST /v1/keys': ['key.created'],
  'POST /v1/keys/:fingerprint/revoke': ['key.revoked'],
  'POST /v1/publishable-keys': ['publishable_key.created'],
  'POST /v1/publishable-keys/:id/revoke': ['publishable_key.revoked'],
  'PUT /v1/org/sso': ['sso.set'],
  'DELETE /v1/org/sso': ['sso.removed'],
  'POST /v1/org/sso/domains/:domain/verify': ['sso.domain_proven'],
}

/** What changes an org's settings, carriers and numbers, and the mailboxes. */
export const orgRoutes: AuditedRoutes = {
  'PUT /v1/org/mail': ['mailbox.set'],
  'DELETE /v1/org/mail': ['mailbox.removed'],
  'PUT /v1/provider-keys/:vendor': ['provider_key.set'],
  'DELETE /v1/provider-keys/:vendor': ['provider_key.removed'],
  'PUT /api/credentials': ['provider_key.set'],
  'POST /v1/model-endpoints': ['model_endpoint.created'],
  'PATCH /v1/model-endpoints/:name': ['model_endpoint.changed'],
  'DELETE /v1/model-endpoints/:name': ['model_endpoint.deleted'],
  'PUT /v1/carrier': ['carrier.set'],
  'DELETE /v1/carrier': ['carrier.removed'],
  'POST /v1/carrier/outbound': ['carrier.provisioned'],
  'POST /v1/numbers': ['number.routed'],
  'POST /v1/numbers/buy': ['number.bought'],
  'PUT /v1/numbers/:number/env': ['number.moved'],
  'PUT /v1/numbers/:number/fallbacks': ['number.fallbacks_set'],
  'DELETE /v1/numbers/:number': ['number.released'],
  'PUT /v1/org/policy': ['policy.changed'],
  'PUT /v1/org/judging': ['judging.changed'],
  'PUT /v1/agents/:agent/settings': ['settings.set'],
  'POST /v1/agents/:agent/settings/rollback': ['settings.rolled_back'],
  'PUT /v1/agents/:agent/settings/canary': ['canary.set'],
  'DELETE /v1/agents/:agent/settings/canary': ['canary.ended'],
  'PUT /v1/agents/:agent/lexicon': ['lexicon.set'],
  'DELETE /v1/contacts/:contact': ['contact.erased'],
  'POST /v1/bases': ['base.created'],
  'PATCH /v1/bases/:base': ['base.changed'],
  'DELETE /v1/bases/:base': ['base.deleted'],
  'POST /v1/bases/:base/documents': ['document.created'],
  'PUT /v1/bases/:base/documents/:document': ['document.replaced'],
  'POST /v1/bases/:base/documents/:document/refetch': ['document.refetched'],
  'DELETE /v1/bases/:base/documents/:document': ['document.deleted'],
  'POST /v1/webhooks': ['webhook.created'],
  'PATCH /v1/webhooks/:id': ['webhook.changed'],
  'DELETE /v1/webhooks/:id': ['webhook.deleted'],
  'POST /v1/webhooks/:id/rotate': ['webhook.secret_rotated'],
  'POST /v1/webhooks/:id/redeliver': ['webhook.redelivered'],
  'POST /v1/webhooks/:id/deliveries/:event/redeliver': ['webhook.redelivered'],
  'PUT /v1/line/from': ['phone.verified'],
  'DELETE /v1/line/from': ['phone.removed'],
  'POST /v1/ops/networks/:id/approve': ['network.approved'],
  'POST /v1/ops/networks/:id/refuse': ['network.refused'],
  'POST /v1/ops/numbers': ['number.routed'],
  'POST /v1/ops/numbers/:number/approve': ['number.approved'],
  'PUT /v1/ops/mail': ['platform.mail_set'],
  'DELETE /v1/ops/mail': ['platform.mail_removed'],
}

/** What the operator changes in orgs and on the deployment. */
export const operatorRoutes: AuditedRoutes = {
  'POST /v1/ops/vault/rotate': ['platform.vault_rotated'],
  'POST /v1/ops/orgs': ['org.created'],
  'PUT /v1/ops/orgs/:org/quotas': ['org.quotas_changed'],
  'PUT /v1/ops/orgs/:org/account': ['org.account_changed'],
  'PUT /v1/ops/orgs/:org/dialling': ['org.dial_limits_changed'],
  'POST /v1/ops/orgs/:org/members': ['member.invited'],
  'DELETE /v1/ops/orgs/:org/members/:id': ['member.removed'],
  'PUT /v1/ops/orgs/:org/members/:id/operator': ['member.operator_changed'],
  'POST /v1/ops/orgs/:org/keys': ['key.created'],
  'PUT /v1/ops/brand': ['platform.brand_changed'],
  'PUT /v1/ops/providers': ['platform.providers_changed'],
  'POST /v1/ops/retention': ['platform.retention_run'],
}

/** With `exemptRoutes` every route that changes something, which a test holds to the server's own list. */
export const auditedRoutes: AuditedRoutes = { ...peopleRoutes, ...orgRoutes, ...operatorRoutes }

const callsOwnLog = "a call's own log says who did what"
const runsCalls = 'workers, apps and the voice server report what happens in calls'
const consentLedger = 'consents have an append-only ledger of their own'
const dialLedger = 'every dial is in the dial log with who asked for it'
const readsOnly = 'it answers a question and keeps nothing'

/** What changes something and is not in the audit log, each with the reason. */
export const exemptRoutes: Record<string, string> = {
  'POST /v1/login/orgs': readsOnly,
  'POST /v1/login/sso/discover': readsOnly,
  'POST /v1/login/codes': 'the sign-in with the code is recorded',
  'POST /v1/login/pairings': 'the approval and the sign-in are recorded',
  'POST /v1/signup': 'nothing exists until the address is proven, which is recorded',
  'POST /v1/signup/resend': 'nothing exists until the address is proven, which is recorded',
  'POST /v1/org/mail/test': 'one letter is sent and no setting changes',
  'POST /v1/carrier/test': 'no setting changes, and its call is in the dial log',
  'POST /v1/ops/mail/test': 'one letter is sent and no setting changes',
  'POST /v1/model-endpoints/:name/try': 'one request is sent to the endpoint, and no setting changes',
  'POST /v1/webhooks/:id/test': 'one event is sent to the webhook, and no setting changes',
  'PUT /v1/ops/signin/social': 'not in this version: it always refuses',
  'DELETE /v1/ops/signin/social': 'not in this version: it always refuses',
  'POST /v1/voices/sample': readsOnly,
  'POST /v1/bases/:base/search': readsOnly,
  'POST /v1/org/consents': consentLedger,
  'DELETE /v1/org/consents/:number': consentLedger,
  'POST /v1/org/dnc': consentLedger,
  'POST /v1/agents/:agent/dial': dialLedger,
  'POST /v1/agents/:agent/cold-transfer': dialLedger,
  'POST /v1/calls': callsOwnLog,
  'POST /v1/tokens': callsOwnLog,
  'POST /v1/page/tokens': callsOwnLog,
  'POST /v1/rtc': callsOwnLog,
  'POST /v1/rtc/hangup': callsOwnLog,
  'POST /v1/calls/:call/verbs': callsOwnLog,
  'POST /v1/calls/:call/search': callsOwnLog,
  'POST /v1/agents/:agent/threads/:contact/messages': callsOwnLog,
  'POST /v1/agents/:agent/threads/:contact/templates': callsOwnLog,
  'PUT /v1/agents/:agent/threads/:contact/read': 'it marks what a person has read',
  'POST /v1/msgapp/webhook': runsCalls,
  'POST /v1/voice/entries': runsCalls,
  'POST /v1/voice/grants': runsCalls,
  'POST /v1/voice/grants/:grant/settlement': runsCalls,
  'POST /v1/voice/streams': runsCalls,
  'POST /v1/worker/calls': runsCalls,
  'POST /v1/worker/placements': runsCalls,
  'POST /v1/worker/placements/:call': runsCalls,
  'POST /v1/worker/offers/:call': runsCalls,
  'POST /v1/worker/trunk-tests/:id': runsCalls,
  'POST /v1/worker/beats': runsCalls,
  'POST /v1/worker/registrations': runsCalls,
  'POST /v1/calls/:call/events': runsCalls,
  'POST /v1/calls/:call/tools': runsCalls,
  'POST /v1/calls/:call/preparing': runsCalls,
  'POST /v1/calls/:call/look-ups': readsOnly,
  'POST /v1/calls/:call/extension': runsCalls,
  'PUT /v1/calls/:call/recording': runsCalls,
}
