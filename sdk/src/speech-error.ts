import { SwitchroomError } from './errors.ts'

/** Something the voice server refused, or that never got there: then `status` is 0. */
export class SpeechError extends SwitchroomError {
  readonly status: number

  constructor(code: string, status: number, sentence: string, options?: ErrorOptions) {
    super(code, sentence, options)
    this.status = status
  }

  /** The same sentence as `message`, under the word of the wire. */
  get error(): string {
    return this.detail
  }
}

export const missingKey = () =>
  new SpeechError('MISSING_KEY', 0, 'there is no key: set SVC_KEY, or pass `key`')

export const unreachable = (url: string, cause: unknown) =>
  new SpeechError('NETWORK_ERROR', 0, `the voice server at ${url} cannot be reached`, { cause })

export const brokeOff = (cause?: unknown) =>
  new SpeechError('NETWORK_ERROR', 0, 'the answer broke off before its end', { cause })

export const closedEarly = () =>
  new SpeechError('CLOSED', 0, 'the voice server closed the stream before it was done')

/** A refusal as the voice server writes it; anything else in front of it has its own words. */
export function refusalIn(status: number, text: string): SpeechError {
  const { error, code } = fieldsOf(text)
  return new SpeechError(
    typeof code === 'string' ? code : `HTTP_${status}`,
    status,
    typeof error === 'string' ? error : `the voice server answered ${status}`,
  )
}

function fieldsOf(text: string): { error?: unknown; code?: unknown } {
  try {
    return (JSON.parse(text) ?? {}) as object
  } catch {
    return {}
  }
}
