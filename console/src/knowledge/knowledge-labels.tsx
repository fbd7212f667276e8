import type { DocumentState } from '@switchroom/contract/knowledge-names'
import { Link } from 'wouter'
import { Badge, type BadgeProps } from '../ui/badge.tsx'

export const basePath = (base: string, part = '') =>
  `/knowledge/${encodeURIComponent(base)}${part && `/${part}`}`

const states: Record<DocumentState, { label: string; tone: BadgeProps['tone'] }> = {
  queued: { label: 'Queued', tone: 'warn' },
  reading: { label: 'Reading', tone: 'warn' },
  ready: { label: 'Ready', tone: 'good' },
  failed: { label: 'Failed', tone: 'bad' },
}

export function DocumentStateBadge({ state }: { state: DocumentState }) {
  const { label, tone } = states[state]
  return <Badge tone={tone}>{label}</Badge>
}

export const isSettled = (state: DocumentState) => state === 'ready' || state === 'failed'

const refetches = new Map([
  [3600, 'every hour'],
  [86_400, 'every day'],
  [604_800, 'every week'],
])

export const refetchOptions = [
  { value: '', label: 'By hand' },
  ...Array.from(refetches, ([seconds, label]) => ({ value: String(seconds), label: capital(label) })),
]

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

export const refetchName = (seconds: number | null) =>
  seconds === null ? 'by hand' : (refetches.get(seconds) ?? `every ${Math.round(seconds / 3600)} hours`)

export function AgentLinks({ agents, none }: { agents: readonly string[]; none: string }) {
  if (agents.length === 0) return <span className="soft">{none}</span>
  return agents.map((agent, at) => (
    <span key={agent}>
      {at > 0 ? ', ' : ''}
      <Link href={`/agents/${encodeURIComponent(agent)}/settings`}>{agent}</Link>
    </span>
  ))
}

/** Of one or two decimals, as people compare them. */
export const scoreOf = (score: number) => score.toFixed(2)
