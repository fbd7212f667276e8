import { Refused } from '@switchroom/contract/shapes'
import type { Answers } from './failures.ts'

/** The gateway's refusals: `{detail}`. */
export const gatewayAnswers: Answers = {
  schema: Refused,
  statusOf: (status) => status,
  bodyOf: ({ message }): Refused => ({ detail: message }),
}
