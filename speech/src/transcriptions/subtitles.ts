import type { Transcript } from '@switchroom/kit/vendor'
import { segmentsOf, type Transcribed } from './answers.ts'

/** A line that is read at once, and while it is said. */
const longest = { characters: 84, seconds: 7 }

interface Cue {
  start: number
  end: number
  text: string
}

/** SubRip: numbered cues. */
export const srtOf = (heard: Transcribed): string =>
  cuesOf(heard)
    .map(({ start, end, text }, at) => `${at + 1}\n${clock(start, ',')} --> ${clock(end, ',')}\n${text}\n\n`)
    .join('')

export const vttOf = (heard: Transcribed): string =>
  `WEBVTT\n\n${cuesOf(heard)
    .map(({ start, end, text }) => `${clock(start, '.')} --> ${clock(end, '.')}\n${escaped(text)}\n\n`)
    .join('')}`

/** Every word of the transcript, in its order: a segment that is too long for a cue is cut between words whose times are known. */
function cuesOf(heard: Transcribed): Cue[] {
  const { words } = heard.transcript
  return segmentsOf(heard).flatMap((segment) => {
    const whole = { start: segment.start, end: segment.end, text: oneLine(segment.text) }
    const spoken = words.filter(({ start }) => start >= segment.start - 0.001 && start < segment.end)
    const isLong = whole.text.length > longest.characters || whole.end - whole.start > longest.seconds
    return isLong && isSame(whole.text, spoken) ? cut(spoken) : [whole]
  })
}

function cut(words: Transcript['words']): Cue[] {
  const cues: Cue[] = []
  for (const { word, start, end } of words) {
    const last = cues.at(-1)
    const text = last && `${last.text} ${oneLine(word)}`
    const fits = last && text && text.length <= longest.characters && end - last.start <= longest.seconds
    if (fits) cues[cues.length - 1] = { start: last.start, end: Math.max(last.end, end), text }
    else cues.push({ start, end, text: oneLine(word) })
  }
  return cues
}

/** Words that leave something of the segment out would lose it. */
const isSame = (text: string, words: Transcript['words']) =>
  letters(text) === letters(words.map(({ word }) => word).join(' '))
const letters = (text: string) => text.replaceAll(/\s+/gu, '')

/** What is said cannot end a cue or begin another. */
const oneLine = (text: string) => text.replaceAll(/\s+/gu, ' ').replaceAll('-->', '->').trim()
const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

function clock(seconds: number, point: ',' | '.'): string {
  const ms = Math.round(Math.max(0, seconds) * 1_000)
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0')
  const [hours, minutes] = [ms / 3_600_000, (ms / 60_000) % 60]
  return `${two(hours)}:${two(minutes)}:${two((ms / 1_000) % 60)}${point}${String(ms % 1_000).padStart(3, '0')}`
}
