import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plans } from '@switchroom/contract/accounts'
import { tiers } from '../rates/rate-file.ts'
import { isAllowedOn } from './plan-rules.ts'

test('the free plan allows the basic tier alone, a paid plan everything priced (S-388, S-389, SD-65)', () => {
  const allowed = plans.map((plan) => tiers.filter((tier) => isAllowedOn(plan, tier)))
  assert.deepEqual(allowed, [['basic'], ['basic', 'premium'], ['basic', 'premium']])
})
