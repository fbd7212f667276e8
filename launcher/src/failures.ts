/** A reason to stop that a person can act on; its message is the one line they read. */
export class Failure extends Error {
  readonly status: number

  constructor(sentence: string, status = 1) {
    super(sentence)
    this.status = status
  }
}

/** One line: what went wrong and what to do. */
export function asFailure(error: unknown, dataFolder: string): Failure {
  if (error instanceof Failure) return error
  const { code, path, message } = describe(error)
  if (code === 'ENOSPC' || code === 'EDQUOT') return diskFull(path ?? dataFolder)
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return notWritable(path ?? dataFolder)
  return new Failure(`Switchroom cannot start: ${message.split('\n', 1)[0]}`)
}

export function diskFull(path: string): Failure {
  return new Failure(`the disk that holds ${path} is full: free some space, then start again`)
}

export function notWritable(path: string): Failure {
  return new Failure(
    `${path} cannot be written: make it writable for this user, or set SVC_DATA to another folder`,
  )
}

/** Whether a program's output says that the disk is full. */
export function saysDiskFull(output: string): boolean {
  return /no space left on device|disk quota exceeded/i.test(output)
}

function describe(error: unknown): { code?: string; path?: string; message: string } {
  return error instanceof Error ? error : { message: String(error) }
}

export function hasCode(error: unknown, ...codes: string[]): boolean {
  const { code } = describe(error)
  return code !== undefined && codes.includes(code)
}
