import type { CallReason } from '@switchroom/contract/log'
import type { LegEnd } from '@switchroom/media/leg'

// Why calls end, in words for the process's log.

export const partyGone: Record<LegEnd, string> = {
  hangup: 'the caller hung up',
  lost: 'nothing was heard of the caller any more',
}
export const sessionOver: Partial<Record<CallReason, string>> = {
  hangup: 'the agent ended it',
  idle_timeout: 'both sides were silent for too long',
  max_duration: 'it reached its maximum duration',
}
