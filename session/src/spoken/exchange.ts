import type { CallReason, NewEntry } from '@switchroom/contract/log'
import type { CallLog } from './call-log.ts'
import type { RealtimeAnswers } from './realtime/answers.ts'
import type { Replies } from './replies.ts'
import type { SpokenParts } from './spoken-parts.ts'
import type { VoiceActivity } from './voice-activity.ts'

/** How a call hears and answers: with transcribers, a model and a voice, or with one model that is all three. */
export interface Exchange {
  /** Null if a model thinks and a voice speaks. */
  readonly realtime: RealtimeAnswers | null
  /** Whether the caller speaks. */
  readonly isSpeaking: boolean
  start(): void
  /** Nothing more is heard. */
  stop(): Promise<void>
  hear(samples: Int16Array): void
  notice(activity: VoiceActivity): void
  /** What hearing took since it was last asked. */
  metrics(): NewEntry[]
  /** Another agent has the call; false if it hears and answers in the other way. */
  use(parts: SpokenParts): boolean
  /** Entries about the agent come after what it answers. */
  inOrder(act: () => void): void
}

/** What the two have in common: the call around them. */
export interface ExchangeAround {
  log: CallLog
  replies: () => Replies
  onActivity: () => void
  onSilence: () => void
  end: (reason: CallReason) => void
}

/** What turns do to the answers, with any kind of turn detection. */
export function turnsOn(around: ExchangeAround, continued: () => void) {
  const { onActivity, replies } = around
  return {
    onActivity,
    interrupted: (leastMs: number) => {
      if (replies().giveWayTo(leastMs)) continued()
    },
    isAgentSpeaking: () => replies().isSpeaking,
    nothingSaid: () => replies().goOn(),
    turnEnding: () => {
      if (replies().rethink()) continued()
    },
  }
}
