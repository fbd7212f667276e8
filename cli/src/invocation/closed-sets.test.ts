import assert from 'node:assert/strict'
import { test } from 'node:test'
import { networkStates } from '@switchroom/contract/carriers'
import { consentKinds } from '@switchroom/contract/consents'
import { weekdays } from '@switchroom/contract/dialling'
import { callStates } from '@switchroom/contract/log'
import { mailSecurities } from '@switchroom/contract/mail'
import { numberChannels, numberTypes } from '@switchroom/contract/numbers'
import { capNames, quotaNames } from '@switchroom/contract/orgs'
import { channels } from '@switchroom/contract/sessions'
import { agentSlug } from '@switchroom/contract/settings'
import { verbs } from '@switchroom/contract/supervising'
import * as closedSets from './closed-sets.ts'

test('the closed sets that are written out are those of the contract', () => {
  const contract = {
    weekdays,
    mailSecurities,
    networkStates,
    consentKinds,
    callStates,
    numberChannels,
    numberTypes,
    quotaNames,
    capNames,
  }
  assert.deepEqual({ ...closedSets }, { ...contract, channels, agentSlug, verbs })
})
