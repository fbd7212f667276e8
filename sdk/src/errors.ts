/** Something the gateway refused, or that a handler or tool threw: a code for programs, a sentence for people. */
export class SwitchroomError extends Error {
  override readonly name = 'SwitchroomError'
  readonly code: string
  /** The same sentence as `message`. */
  readonly detail: string

  constructor(code: string, detail: string, options?: ErrorOptions) {
    super(detail, options)
    this.code = code
    this.detail = detail
  }
}

/** An error of the author's own code, with what it was doing. */
export const failureOf = (doing: string, cause: unknown) =>
  new SwitchroomError('HANDLER_FAILED', `${doing} failed: ${messageOf(cause)}`, { cause })

/** Any value can be thrown, also one that cannot be turned into a string. */
export function messageOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown)
  } catch {
    return 'what was thrown has no words'
  }
}

/** Printed by Node, with where it was thrown. */
export function warnOf({ name, code, message, cause }: SwitchroomError): void {
  const detail = cause instanceof Error ? cause.stack : undefined
  process.emitWarning(message, { type: name, code, ...(detail !== undefined && { detail }) })
}
