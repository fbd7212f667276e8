import { Type, type Static } from 'typebox'
import { EnvironmentName } from './scope-schemas.ts'
import { anyOf, nullable, oneOf, Timestamp, wholeNumberText } from './shapes.ts'

/** Every change that the audit log knows. */
export const auditActions = [
  'member.invited',
  'member.joined',
  'member.changed',
  'member.removed',
  'member.reopened',
  'member.operator_changed',
  'password.reset_asked',
  'password.set',
  'person.signed_in',
  'phone.verified',
  'phone.removed',
  'key.created',
  'key.revoked',
  'publishable_key.created',
  'publishable_key.revoked',
  'pairing.approved',
  'sso.set',
  'sso.removed',
  'sso.domain_proven',
  'mailbox.set',
  'mailbox.removed',
  'provider_key.set',
  'provider_key.removed',
  'model_endpoint.created',
  'model_endpoint.changed',
  'model_endpoint.deleted',
  'carrier.set',
  'carrier.removed',
  'carrier.provisioned',
  'number.routed',
  'number.bought',
  'number.moved',
  'number.fallbacks_set',
  'number.released',
  'number.approved',
  'network.approved',
  'network.refused',
  'policy.changed',
  'judging.changed',
  'settings.set',
  'settings.rolled_back',
  'canary.set',
  'canary.ended',
  'lexicon.set',
  'contact.erased',
  'base.created',
  'base.changed',
  'base.deleted',
  'document.created',
  'document.replaced',
  'document.refetched',
  'document.deleted',
  'webhook.created',
  'webhook.changed',
  'webhook.deleted',
  'webhook.secret_rotated',
  'webhook.paused',
  'webhook.redelivered',
  'scenario.created',
  'scenario.changed',
  'scenario.deleted',
  'eval_run.started',
  'eval_run.cancelled',
  'org.created',
  'org.visited',
  'org.quotas_changed',
  'org.account_changed',
  'org.dial_limits_changed',
  'platform.brand_changed',
  'platform.mail_set',
  'platform.mail_removed',
  'platform.providers_changed',
  'platform.retention_run',
  'platform.vault_rotated',
] as const
export type AuditAction = (typeof auditActions)[number]

/** `operator`: the platform's own key, or a person at the operator's endpoints; `system`: a periodic task. */
export const auditActorKinds = ['person', 'server', 'operator', 'fleet', 'system'] as const
export type AuditActorKind = (typeof auditActorKinds)[number]

export const auditTargetKinds = [
  'member',
  'key',
  'publishable_key',
  'org',
  'sso',
  'domain',
  'mailbox',
  'vendor',
  'model_endpoint',
  'carrier',
  'number',
  'network',
  'policy',
  'judging',
  'agent',
  'contact',
  'base',
  'document',
  'webhook',
  'scenario',
  'eval_run',
  'platform',
] as const
export type AuditTargetKind = (typeof auditTargetKinds)[number]

export const AuditEntry = Type.Object({
  id: Type.String(),
  at: Timestamp,
  org: nullable(Type.String({ description: 'null for what concerns the whole deployment' })),
  slug: nullable(Type.String()),
  env: nullable(EnvironmentName),
  action: oneOf(auditActions),
  actor: Type.Object({
    kind: oneOf(auditActorKinds),
    key_id: nullable(Type.String()),
    subject: nullable(Type.String({ description: 'member id' })),
    name: nullable(Type.String({ description: 'as it was then' })),
    email: nullable(Type.String({ description: 'as it was then' })),
    visiting: Type.Boolean({ description: 'an operator inside an org they are no member of' }),
  }),
  target: Type.Object({
    kind: oneOf(auditTargetKinds),
    id: nullable(Type.String()),
    label: nullable(Type.String()),
  }),
  detail: Type.Record(Type.String(), Type.Unknown(), {
    description: 'what changed, without any secret; a changed field is `{before, after}`',
  }),
  from: nullable(Type.String({ description: 'the client address; of IPv6 its /64' })),
})
export type AuditEntry = Static<typeof AuditEntry>

export const AuditAsked = Type.Object({
  action: Type.Optional(anyOf(auditActions)),
  actor: Type.Optional(Type.String({ description: 'a member id, an email or a key id' })),
  target: Type.Optional(Type.String({ description: 'the id or the label of what was changed' })),
  since: Type.Optional(Type.String({ description: 'a time with an offset; entries from then on' })),
  until: Type.Optional(Type.String({ description: 'a time with an offset; entries before it' })),
  after: Type.Optional(Type.String({ description: 'the `next` of the page before' })),
  limit: Type.Optional(wholeNumberText('1 to 200; default 50', { minimum: 1, maximum: 200, default: 50 })),
})
export type AuditAsked = Static<typeof AuditAsked>

export const PlatformAuditAsked = Type.Interface([AuditAsked], {
  org: Type.Optional(Type.String({ description: 'id or slug; without it every org and the deployment' })),
})
export type PlatformAuditAsked = Static<typeof PlatformAuditAsked>

export const AuditPage = Type.Object({
  entries: Type.Array(AuditEntry, { description: 'newest first' }),
  next: nullable(Type.String({ description: 'null on the last page' })),
})
export type AuditPage = Static<typeof AuditPage>
