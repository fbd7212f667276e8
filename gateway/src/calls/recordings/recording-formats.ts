export type RecordingFormat = 'wav' | 'opus'

export const mediaTypes: Readonly<Record<RecordingFormat, string>> = { wav: 'audio/wav', opus: 'audio/ogg' }

/** WAV unless it says otherwise. */
export const formatOf = (contentType: string | undefined): RecordingFormat =>
  /^audio\/ogg\b/i.test(contentType ?? '') ? 'opus' : 'wav'

/** 800 stretches of two sides; a worker has no more. */
const mostPeaks = 1600

/** One byte a side for each stretch; null for what a worker cannot have meant, because no recording is lost for it. */
export function peaksIn(header: string | string[] | undefined): Buffer | null {
  if (typeof header !== 'string' || !/^[A-Za-z0-9+/]+={0,2}$/.test(header)) return null
  const peaks = Buffer.from(header, 'base64')
  return peaks.length > 0 && peaks.length <= mostPeaks && peaks.length % 2 === 0 ? peaks : null
}
