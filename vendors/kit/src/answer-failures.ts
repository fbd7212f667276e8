import { usualWaitMs, VendorFailure } from './failures.ts'

/** A vendor that answers one of these would take the same request later. */
const busyStatuses = new Set([408, 409, 429, 503, 529])
/** It answers like a busy vendor until the account is paid for. */
const unpaid = /insufficient_quota|billing_hard_limit/

interface RefusedRequest {
  status: number
  /** Of a header, in lower case; null if the answer has none. */
  header: (name: string) => string | null | undefined
  body: string
  /** The vendor's sentence. */
  words: string
}

/** Why a request over HTTP was not served: the vendor said no, was too busy, or failed. */
export function failureOfAnswer({ status, header, body, words }: RefusedRequest): VendorFailure {
  const kind = status >= 300 && status < 500 ? 'refused' : 'silent'
  const isBusy = busyStatuses.has(status) && !unpaid.test(body)
  const waitMs = isBusy ? (waitMsOf(header, body) ?? usualWaitMs) : undefined
  return new VendorFailure(kind, words, waitMs, status)
}

/** `retry-after-ms`, `retry-after` in seconds or as a date, or Google's `retryDelay` in the body. */
function waitMsOf(header: RefusedRequest['header'], body: string): number | undefined {
  const ms = Number(header('retry-after-ms') ?? undefined)
  if (ms >= 0) return ms
  const after = header('retry-after')
  if (after != null) {
    const seconds = Number(after)
    const untilMs = seconds >= 0 ? seconds * 1000 : Date.parse(after) - Date.now()
    if (!Number.isNaN(untilMs)) return Math.max(0, untilMs)
  }
  const delay = /"retryDelay":\s*"(\d+(?:\.\d+)?)s"/.exec(body)?.[1]
  return delay === undefined ? undefined : Number(delay) * 1000
}
