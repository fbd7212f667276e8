/** A part of a file, both ends included. */
export interface ByteRange {
  start: number
  end: number
}

/** The part that a `Range` header asks for; null, the whole file, if it asks for several or is malformed. */
export function byteRangeOf(header: string | undefined, bytes: number): ByteRange | 'outside' | null {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '') ?? []
  if (first === '' && last === '') return null
  const start = first === '' ? Math.max(0, bytes - Number(last)) : Number(first)
  const end = first === '' || last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1)
  if (first !== '' && last !== '' && Number(last) < Number(first)) return null
  return start >= bytes || (first === '' && Number(last) === 0) ? 'outside' : { start, end }
}
