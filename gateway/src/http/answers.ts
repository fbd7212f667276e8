import { isRefusalCode, usualCodeOf } from '@switchroom/contract/refusal-codes'
import { Refused } from '@switchroom/contract/shapes'
import type { Refusal } from '../foundation/refusals.ts'
import type { Answers } from './failures.ts'

/** The gateway's refusals: `{detail, code}`. */
export const gatewayAnswers: Answers = {
  schema: Refused,
  statusOf: (status) => status,
  bodyOf: (refusal): Refused => ({ detail: refusal.message, code: codeOf(refusal) }),
}

const codeOf = ({ apiCode, code, status }: Refusal) =>
  apiCode ?? (code !== undefined && isRefusalCode(code) ? code : usualCodeOf(status))
