import type { MemberStatus } from '@switchroom/contract/members'
import { forbidden } from '../../foundation/refusals.ts'

/** The facts that decide whether a person may sign in to an org with a password or a key of another org. */
export interface SignInEligibility {
  email: string
  slug: string
  status: MemberStatus
  /** The org requires single sign-on. */
  is_provider_only: boolean
  /** The address is proven, has a password, and is a member of another org. */
  is_proven_elsewhere: boolean
}

export const providerOnly = (slug: string) =>
  forbidden(`${slug} signs in with its provider: /v1/login/sso?org=${slug}`)

/** Whether to use an active seat or to accept an invited one; refuses anything else. */
export function entryInto(standing: SignInEligibility): 'enter' | 'take seat' {
  const { email, slug, status, is_provider_only, is_proven_elsewhere } = standing
  if (status === 'disabled') throw forbidden(`${email} is disabled in ${slug}`)
  if (is_provider_only) throw providerOnly(slug)
  if (status === 'active') return 'enter'
  if (is_proven_elsewhere) return 'take seat'
  throw forbidden(`${email} is invited to ${slug}: accept the invitation first`)
}

export function opens(standing: SignInEligibility): boolean {
  try {
    entryInto(standing)
    return true
  } catch {
    return false
  }
}
