/** The forms a recording may come in, by the names that manifests use. */
export const mediaTypes = {
  wav: 'audio/wav',
  mp3: 'audio/mpeg',
  m4a: 'audio/mp4',
  webm: 'audio/webm',
  ogg: 'audio/ogg',
  flac: 'audio/flac',
  aac: 'audio/aac',
  aiff: 'audio/aiff',
  amr: 'audio/amr',
} as const
export type MediaFormat = keyof typeof mediaTypes

/** As many bytes as distinguish every format. */
export const tellingBytes = 12
const tagHeaderBytes = 10
/** Pictures come in the same container as sound. */
const pictureBrands = new Set([
  'heic',
  'heix',
  'heim',
  'heis',
  'hevc',
  'hevx',
  'mif1',
  'msf1',
  'avif',
  'avis',
])

/** The format of a file by its first bytes; undefined if it is not audio. */
export function formatOf(bytes: Buffer): MediaFormat | undefined {
  const start = text(bytes, 0, 4)
  const kind = text(bytes, 8, 12)
  if (start === 'RIFF') return kind === 'WAVE' ? 'wav' : undefined
  if (start === 'FORM') return kind === 'AIFF' || kind === 'AIFC' ? 'aiff' : undefined
  if (text(bytes, 4, 8) === 'ftyp') return pictureBrands.has(kind) ? undefined : 'm4a'
  if (start === 'fLaC') return 'flac'
  if (start === 'OggS') return 'ogg'
  if (start === '\x1aEß£') return 'webm'
  if (start === '#!AM' && bytes[4] === 0x52) return 'amr'
  if (start === 'ADIF') return 'aac'
  return start.startsWith('ID3') ? formatAfterTag(bytes) : frameFormat(bytes)
}

const text = (bytes: Buffer, from: number, to: number) => bytes.toString('latin1', from, to)

/** An ID3 tag precedes MP3 and sometimes other formats; its end may not be read yet. */
function formatAfterTag(bytes: Buffer): MediaFormat {
  const [a = 0, b = 0, c = 0, d = 0] = bytes.subarray(6, tagHeaderBytes)
  const end = tagHeaderBytes + (((a & 0x7f) << 21) | ((b & 0x7f) << 14) | ((c & 0x7f) << 7) | (d & 0x7f))
  const behind = bytes.subarray(end, end + 4)
  if (text(behind, 0, 4) === 'fLaC') return 'flac'
  return frameFormat(behind) === 'aac' ? 'aac' : 'mp3'
}

/** Bare frames: eleven set bits, and then a header with nothing in it that is reserved. */
function frameFormat(bytes: Buffer): MediaFormat | undefined {
  const [first = 0, second = 0, third = 0] = bytes
  if (first !== 0xff || (second & 0xe0) !== 0xe0) return undefined
  const layer = (second >> 1) & 3
  if (layer === 0) return (second & 0xf0) === 0xf0 && ((third >> 2) & 15) < 13 ? 'aac' : undefined
  const isReserved = ((second >> 3) & 3) === 1 || third >> 4 === 15 || ((third >> 2) & 3) === 3
  return isReserved ? undefined : 'mp3'
}
