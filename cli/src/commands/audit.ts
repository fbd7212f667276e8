import type { AuditEntry, AuditPage } from '@switchroom/contract/audit'
import { afterOption, type Command, type Option } from '../invocation/command.ts'
import type { Invocation } from '../invocation/invocation.ts'

const filters: Option[] = [
  { name: 'action', value: 'name', summary: 'only this action, such as member.invited' },
  { name: 'actor', value: 'who', summary: 'only by this email, member id or key id' },
  { name: 'target', value: 'what', summary: 'only on this id or name' },
  { name: 'since', value: 'time', summary: 'from this time, such as 2026-01-31T09:00:00Z' },
  { name: 'until', value: 'time', summary: 'before this time' },
  { name: 'limit', value: 'count', summary: '1 to 200 (default 50)' },
  afterOption,
]

const audit: Command = {
  name: 'audit',
  summary: 'who changed what in the org, newest first',
  options: filters,
  examples: ['svc audit', 'svc audit --action key.created --since 2026-01-31T00:00:00Z'],
  async run(invocation) {
    const client = await invocation.client()
    tell(invocation, await client.get<AuditPage>('/v1/org/audit', asked(invocation)))
  },
}

const opsAudit: Command = {
  name: 'ops audit',
  summary: 'who changed what in every org and on the deployment, newest first',
  arguments: [{ name: 'org', summary: 'only this org: its slug or id', isOptional: true }],
  options: filters,
  examples: ['svc ops audit', 'svc ops audit acme --actor ana@example.com'],
  async run(invocation) {
    const client = await invocation.operator()
    const query = { ...asked(invocation), org: invocation.optional('org') }
    tell(invocation, await client.get<AuditPage>('/v1/ops/audit', query))
  },
}

const asked = (invocation: Invocation) =>
  Object.fromEntries(filters.map(({ name }) => [name, invocation.option(name)]))

function tell(invocation: Invocation, answer: AuditPage) {
  invocation.page(
    answer,
    answer.entries,
    [
      { title: 'time', of: ({ at }) => invocation.out.time(at) },
      { title: 'org', isName: true, of: ({ slug, org }) => slug ?? org ?? 'deployment' },
      { title: 'action', of: ({ action }) => action },
      { title: 'target', of: ({ target: { label, id } }) => label ?? id },
      { title: 'by', of: ({ actor }) => actorOf(actor) },
      { title: 'from', of: ({ from }) => from },
      { title: 'changes', of: ({ detail }) => changesOf(detail) },
    ],
    'No matching audit entries.',
  )
}

function actorOf({ kind, email, name, key_id, visiting }: AuditEntry['actor']): string {
  const who = email ?? name ?? key_id ?? kind
  if (visiting) return `${who} (visiting)`
  return kind === 'operator' && who !== kind ? `${who} (operator)` : who
}

const changesOf = (detail: AuditEntry['detail']) =>
  Object.entries(detail)
    .map(([field, value]) => `${field}=${changeOf(value)}`)
    .join('; ')

function changeOf(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return JSON.stringify(value)
  const { before, after } = value as { before?: unknown; after?: unknown }
  return after === undefined ? JSON.stringify(value) : `${JSON.stringify(before)} → ${JSON.stringify(after)}`
}

export const auditCommands = [audit]
export const opsAuditCommands = [opsAudit]
