import { refused, silent, type VendorFailure } from '@switchroom/kit/failures'

const policy = 1008
const serverError = 3005

/** Its own codes, of a frame or of a close, say no; its server's error and the socket's own say that it broke. */
export function failureFor(code: number | undefined, words: string): VendorFailure {
  const isRefusal = code === undefined || code === policy || (code > serverError && code < 5_000)
  return isRefusal ? refused(words) : silent(words)
}
