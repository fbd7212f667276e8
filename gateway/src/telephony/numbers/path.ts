import { ringStates, type NumberChannel, type PathStep, type RingState } from '@switchroom/contract/numbers'
import type { Environment } from '@switchroom/contract/scopes'
import { listed } from '../../foundation/refusals.ts'
import {
  isDriven,
  sourceOf,
  type AtFence,
  type NetworkState,
  type Placed,
} from '../admission/number-fences.ts'

/** A number's status, as the tables say. */
export interface NumberStatus extends Placed {
  agent: string
  env: Environment
  channel: NumberChannel
  last_call_at: number | null
  /** Whether the media plane admits it as the row says. */
  is_admitted: boolean
  /** Whether an app holds its agent for callers. */
  is_held: boolean
}

type Judged = Omit<PathStep, 'step'>

const ok = (says: string): Judged => ({ state: 'ok', says, fix: null })
const waiting = (says: string, fix: string): Judged => ({ state: 'waiting', says, fix })

/** The way of a call to the agent: the carrier, the fence, the environment's rule, the agent. */
export function pathSteps(
  status: NumberStatus,
  fence: AtFence,
  stateOf: (network: string) => NetworkState,
  address: string,
): PathStep[] {
  const isPhone = status.channel === 'phone'
  return [
    {
      step: 'carrier',
      ...(isPhone ? carrierStep(status, address) : ok('the messaging platform hands its messages over')),
    },
    {
      step: 'fence',
      ...(isPhone ? fenceStep(status, fence, stateOf) : ok('a messaging number has no fence')),
    },
    { step: 'rule', ...(isPhone ? ruleStep(status, fence) : ok('a messaging number has no rule')) },
    { step: 'agent', ...agentStep(status) },
  ]
}

/** The worst of the steps. */
export const ringsOf = (steps: readonly Pick<PathStep, 'state'>[]): RingState =>
  ringStates.findLast((state) => steps.some((step) => step.state === state)) ?? 'ok'

function carrierStep(status: NumberStatus, address: string): Judged {
  if (isDriven(status)) return ok('the carrier sends its calls here')
  if (status.last_call_at !== null) return ok('calls of it have come here')
  return waiting('no call of it has come here yet', `point it at ${address} where it comes from, and call it`)
}

function fenceStep(status: NumberStatus, fence: AtFence, stateOf: (network: string) => NetworkState): Judged {
  if (fence.networks.length === 0) return closedFence(status, fence, stateOf)
  if (status.awaits_approval)
    return waiting('it waits for the operator to approve it', 'ask the operator to approve the number')
  return ok(`calls of it are let in from ${listed(fence.networks)}`)
}

function closedFence(
  status: NumberStatus,
  fence: AtFence,
  stateOf: (network: string) => NetworkState,
): Judged {
  const source = sourceOf(status)
  if (source.from === 'catalogue')
    return waiting(
      `the catalogue has no networks of ${source.kind}`,
      `ask the operator to add ${source.kind} to the catalogue`,
    )
  const states = fence.unapproved.map((network) => `${network} is ${stateOf(network)}`)
  return waiting(
    `no network it comes from is approved: ${listed(states)}`,
    'ask the operator to approve a network, or send others',
  )
}

function ruleStep(status: NumberStatus, fence: AtFence): Judged {
  if (!fence.isOpen) return waiting('it is on no rule while no call of it is let in', 'the fence comes first')
  if (!status.is_admitted)
    return waiting('the media server has not taken it yet', 'wait: the gateway retries until it does')
  return ok(`the rule of ${status.env} hands its calls to the fleet`)
}

const agentStep = ({ agent, env, is_held }: NumberStatus): Judged =>
  is_held
    ? ok(`an app holds ${agent} in ${env}`)
    : {
        state: 'broken',
        says: `no app holds ${agent} in ${env}`,
        fix: `connect an app that declares ${agent} in ${env}`,
      }
