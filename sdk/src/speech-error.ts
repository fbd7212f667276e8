import { SwitchroomError } from './errors.ts'

/** A refusal of the voice server; `status` is 0 if no answer came. */
export class SpeechError extends SwitchroomError {
  readonly status: number

  constructor(code: string, status: number, sentence: string, options?: ErrorOptions) {
    super(code, sentence, options)
    this.status = status
  }

  /** The same sentence as `message`, under its name on the wire. */
  get error(): string {
    return this.detail
  }
}

export const missingKey = () => new SpeechError('MISSING_KEY', 0, 'no key: set SVC_KEY or pass `key`')

export const unreachable = (url: string, cause: unknown) =>
  new SpeechError(
    'NETWORK_ERROR',
    0,
    `the voice server at ${url} cannot be reached: check its address and that it is running`,
    { cause },
  )

export const brokeOff = (cause?: unknown) =>
  new SpeechError(
    'NETWORK_ERROR',
    0,
    'the voice server closed the connection before the end of the answer: try again',
    { cause },
  )

export const closedEarly = () =>
  new SpeechError('CLOSED', 0, 'the voice server closed the stream before the end: open another')

/** A refusal in the voice server's shape; a proxy's answer has another. */
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
