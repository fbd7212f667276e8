import type { Plan } from '@switchroom/contract/accounts'
import { tiers, type Tier } from '../rates/rate-file.ts'

const tiersOfPlan: Record<Plan, readonly Tier[]> = { free: ['basic'], pro: tiers, enterprise: tiers }

/** A paid plan allows everything priced. */
export const isAllowedOn = (plan: Plan, tier: Tier) => tiersOfPlan[plan].includes(tier)
