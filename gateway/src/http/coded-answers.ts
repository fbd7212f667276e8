import { CodedRefusal } from '@switchroom/contract/shapes'
import type { Answers } from './failures.ts'

const codes: Record<number, string> = {
  400: 'BAD_REQUEST',
  401: 'INVALID_KEY',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  408: 'REQUEST_TIMEOUT',
  409: 'CONFLICT',
  413: 'BODY_TOO_LARGE',
  429: 'RATE_LIMITED',
  431: 'HEADERS_TOO_LARGE',
  503: 'UNAVAILABLE',
}

/** Here a body of the wrong shape and a value that a rule refuses are both 400. */
const statusOf = (status: number) => (status === 422 ? 400 : status)

/** The dashboard's refusals: `{error, code}`. */
export const codedAnswers: Answers = {
  schema: CodedRefusal,
  statusOf,
  bodyOf: ({ message, status, code }): CodedRefusal => ({
    error: message,
    code: code ?? codes[statusOf(status)] ?? 'INTERNAL_ERROR',
  }),
}
