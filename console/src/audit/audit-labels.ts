import type { AuditAction, AuditEntry } from '@switchroom/contract/audit'
import type { Option } from '../ui/field.tsx'

export const actionLabels: Record<AuditAction, string> = {
  'member.reopened': 'Member has to accept again',
  'platform.vault_rotated': 'Vault key rotated',
  'member.invited': 'Member invited',
  'member.joined': 'Member joined',
  'member.changed': 'Member changed',
  'member.removed': 'Member removed',
  'member.operator_changed': 'Operator access changed',
  'password.reset_asked': 'Password reset requested',
  'password.set': 'Password set',
  'person.signed_in': 'Signed in',
  'phone.verified': 'Own phone verified',
  'phone.removed': 'Own phone removed',
  'key.created': 'Key created',
  'key.revoked': 'Key revoked',
  'publishable_key.created': 'Publishable key created',
  'publishable_key.revoked': 'Publishable key revoked',
  'pairing.approved': 'Terminal approved',
  'sso.set': 'Single sign-on set',
  'sso.removed': 'Single sign-on removed',
  'sso.domain_proven': 'Domain verified',
  'mailbox.set': 'Mailbox set',
  'mailbox.removed': 'Mailbox removed',
  'provider_key.set': 'Provider key set',
  'provider_key.removed': 'Provider key removed',
  'model_endpoint.created': 'Model endpoint created',
  'model_endpoint.changed': 'Model endpoint changed',
  'model_endpoint.deleted': 'Model endpoint deleted',
  'base.created': 'Knowledge base created',
  'base.changed': 'Knowledge base changed',
  'base.deleted': 'Knowledge base deleted',
  'document.created': 'Document added',
  'document.replaced': 'Document replaced',
  'document.refetched': 'Document fetched again',
  'document.deleted': 'Document deleted',
  'webhook.created': 'Webhook created',
  'webhook.changed': 'Webhook changed',
  'webhook.deleted': 'Webhook deleted',
  'webhook.secret_rotated': 'Webhook secret rotated',
  'webhook.paused': 'Webhook paused after failures',
  'webhook.redelivered': 'Webhook events sent again',
  'scenario.created': 'Scenario created',
  'scenario.changed': 'Scenario changed',
  'scenario.deleted': 'Scenario deleted',
  'eval_run.started': 'Evaluation run started',
  'eval_run.cancelled': 'Evaluation run cancelled',
  'carrier.set': 'Carrier account set',
  'carrier.removed': 'Carrier account removed',
  'carrier.provisioned': 'Outbound calling set up',
  'number.routed': 'Number routed',
  'number.bought': 'Number bought',
  'number.moved': 'Number moved',
  'number.fallbacks_set': 'Fallback accounts of a number changed',
  'number.released': 'Number released',
  'number.approved': 'Number approved',
  'network.approved': 'Network approved',
  'network.refused': 'Network refused',
  'policy.changed': 'Calling limits changed',
  'judging.changed': 'Evaluation changed',
  'settings.set': 'Agent settings set',
  'settings.rolled_back': 'Agent settings rolled back',
  'canary.set': 'Canary set',
  'canary.ended': 'Canary ended',
  'lexicon.set': 'Pronunciation set',
  'contact.erased': 'Contact erased',
  'org.created': 'Organization created',
  'org.visited': 'Visited by an operator',
  'org.quotas_changed': 'Quotas changed',
  'org.account_changed': 'Plan or credits changed',
  'org.dial_limits_changed': 'Dial limits changed',
  'platform.brand_changed': 'Brand changed',
  'platform.mail_set': 'Platform mail set',
  'platform.mail_removed': 'Platform mail removed',
  'platform.providers_changed': 'Providers changed',
  'platform.retention_run': 'Retention run',
}

const platformOnly = (action: string) => action.startsWith('platform.')

export const actionOptions = (isPlatform: boolean): Option[] => [
  { value: '', label: 'Any action' },
  ...Object.entries(actionLabels)
    .filter(([action]) => isPlatform || !platformOnly(action))
    .map(([value, label]) => ({ value, label })),
]

/** The label of an actor. */
export function actorLabel({ kind, name, email, key_id, visiting }: AuditEntry['actor']): string {
  const who = name && email ? `${name} (${email})` : (name ?? email)
  if (kind === 'operator') return who ? `${who}, operator` : "The platform's operator key"
  if (kind === 'server') return `Server token ${key_id ?? ''}`.trim()
  if (kind === 'fleet') return 'The platform'
  if (kind === 'system') return 'Not signed in'
  return visiting ? `${who ?? ''}, visiting operator` : (who ?? '')
}

/** What changed, field by field. */
export function detailLines(detail: AuditEntry['detail']): string[] {
  return Object.entries(detail).map(([field, value]) => {
    const words = field.replaceAll('_', ' ')
    return isChange(value)
      ? `${words}: ${shown(value.before)} → ${shown(value.after)}`
      : `${words}: ${shown(value)}`
  })
}

const isChange = (value: unknown): value is { before: unknown; after: unknown } =>
  typeof value === 'object' && value !== null && 'before' in value && 'after' in value

function shown(value: unknown): string {
  if (value === null || value === undefined || value === '') return '–'
  if (Array.isArray(value)) return value.map(shown).join(', ') || '–'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
