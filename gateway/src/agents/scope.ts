import { agentSlug } from '@switchroom/contract/settings'
import type { Environment } from '@switchroom/contract/scopes'
import type { Caller } from '../foundation/caller.ts'
import { badRequest, notFound } from '../foundation/refusals.ts'

/** One place in which versions of an agent are kept: whose they are, in which environment. */
export interface SettingsScope {
  org: string
  agent: string
  env: Environment
  /** A member's id, or empty for the org's own. */
  holder: string
}

export const slugForm = agentSlug

export function refuseMalformedSlug(agent: string) {
  if (!slugForm.test(agent)) throw notFound(`there is no agent ${agent}`)
}

/** Which scope a request means: one in production, in the sandbox the team's or a person's own. */
export function scopeOf(caller: Caller, agent: string, team = false): SettingsScope {
  refuseMalformedSlug(agent)
  return { org: caller.org, agent, env: caller.env, holder: team ? '' : ownerOf(caller) }
}

/** Whose copy of an agent the caller works on: their own in the sandbox, the org's everywhere else. */
export const ownerOf = ({ env, kind, subject }: Caller): string =>
  env === 'sandbox' && kind === 'person' ? subject : ''

/** `team` as a query says it. */
export function teamFlag(said: string | undefined): boolean {
  if (said === undefined || said === 'false' || said === '0') return false
  if (said === 'true' || said === '1') return true
  throw badRequest('team is true or false')
}
