/** Why a file was not decoded, in a sentence. */
export class DecodingFailure extends Error {
  readonly kind: 'unreadable' | 'tooSlow' | 'tooLong' | 'noRoom' | 'tooMany'

  constructor(kind: DecodingFailure['kind'], sentence: string) {
    super(sentence)
    this.kind = kind
  }

  /** Whether the file itself is why, so that another try ends no better. */
  get isOfFile(): boolean {
    return this.kind !== 'noRoom' && this.kind !== 'tooMany'
  }
}
