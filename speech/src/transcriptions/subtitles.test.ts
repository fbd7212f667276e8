import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Transcript } from '@switchroom/kit/vendor'
import { srtOf, vttOf } from './subtitles.ts'

const heard = (transcript: Partial<Transcript>, seconds = 3_700) => ({
  transcript: { text: '', language: 'en', duration: seconds, words: [], segments: [], ...transcript },
  model: 'x/y',
  seconds,
  diarize: false,
  isTranslated: false,
})

test('srt numbers its cues and vtt begins with its name; times go past an hour', () => {
  const segments = [
    { start: 0.5, end: 2, text: 'Hello.' },
    { start: 3_661.0426, end: 3_662, text: 'Good\nbye.' },
  ]
  assert.equal(
    srtOf(heard({ text: 'Hello. Good bye.', segments })),
    '1\n00:00:00,500 --> 00:00:02,000\nHello.\n\n2\n01:01:01,043 --> 01:01:02,000\nGood bye.\n\n',
  )
  assert.equal(
    vttOf(heard({ text: 'Hello. Good bye.', segments })),
    'WEBVTT\n\n00:00:00.500 --> 00:00:02.000\nHello.\n\n01:01:01.043 --> 01:01:02.000\nGood bye.\n\n',
  )
})

test('what is said cannot make a cue of its own or markup', () => {
  const segments = [{ start: 0, end: 1, text: 'a\n\n2\n00:00:01,000 --> 00:00:09,000\n<b>&' }]
  const text = 'a 2 00:00:01,000 -> 00:00:09,000 <b>&'
  assert.equal(srtOf(heard({ segments })), `1\n00:00:00,000 --> 00:00:01,000\n${text}\n\n`)
  assert.equal(
    vttOf(heard({ segments })),
    'WEBVTT\n\n00:00:00.000 --> 00:00:01.000\na 2 00:00:01,000 -&gt; 00:00:09,000 &lt;b&gt;&amp;\n\n',
  )
})

test('a long segment is cut between its words, and every word is in one cue, in order', () => {
  const words = Array.from({ length: 60 }, (_, at) => ({
    word: `word${at}`,
    start: at * 0.4,
    end: at * 0.4 + 0.3,
  }))
  const text = words.map(({ word }) => word).join(' ')
  const cues = srtOf(heard({ text, words, segments: [{ start: 0, end: 24, text }] }))
    .trim()
    .split('\n\n')
  assert.ok(cues.length > 3, String(cues.length))
  const lines = cues.map((cue) => cue.split('\n')[2] ?? '')
  assert.equal(lines.join(' '), text)
  for (const line of lines) assert.ok(line.length <= 84, line)
})

test('words that are not the whole segment cut nothing: no text is lost', () => {
  const text = 'word '.repeat(40).trim()
  const words = [{ word: 'word', start: 0, end: 1 }]
  const cues = srtOf(heard({ text, words, segments: [{ start: 0, end: 30, text }] }))
  assert.equal(cues, `1\n00:00:00,000 --> 00:00:30,000\n${text}\n\n`)
})

test('a transcript without segments is one cue, and silence is none', () => {
  assert.equal(srtOf(heard({ text: 'Hello.' }, 2)), '1\n00:00:00,000 --> 00:00:02,000\nHello.\n\n')
  assert.equal(srtOf(heard({}, 2)), '')
  assert.equal(vttOf(heard({}, 2)), 'WEBVTT\n\n')
})
