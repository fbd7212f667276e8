import type { Recording } from './vendor.ts'

/** Hours of speech with the times of every word, and no more. */
export const mostTranscriptBytes = 16 * 1024 * 1024

/** A recording as a file of a form, named after its type: many vendors believe the ending. */
export function formWith(field: string, { bytes, mediaType }: Recording): FormData {
  const form = new FormData()
  form.set(field, new Blob([Buffer.from(bytes)], { type: mediaType }), fileNameOf(mediaType))
  return form
}

const endings: Record<string, string> = { mpeg: 'mp3', mp4: 'm4a', wave: 'wav' }

function fileNameOf(mediaType: string): string {
  const [type = ''] = mediaType.split(';') // without its codecs
  const form = type.trim().replace(/^(audio|video)\/(x-)?/, '')
  return `audio.${endings[form] ?? form}`
}
