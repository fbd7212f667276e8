import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { Espeak, plainText } from './espeak.ts'
import { Speakers } from './voices.ts'

let espeak: Espeak
before(async () => {
  espeak = await Espeak.load()
})

function spoken(text: string, identifier = 'gmw/en-US') {
  let loudest = 0
  const words: string[] = []
  const samples = espeak.speak(text, { identifier, wordsPerMinute: 175 }, 0, {
    audio: (chunk) => (loudest = chunk.reduce((most, sample) => Math.max(most, Math.abs(sample)), loudest)),
    word: ({ word }) => words.push(word),
  })
  return { seconds: samples / espeak.sampleRate, loudest, words }
}

test('every voice of the languages most asked for can be heard, those that espeak finds by no tag too', () => {
  const speakers = new Speakers(espeak.voices)
  const listed = speakers.listed().filter(({ language }) => /^(?:en|es|pt|fr|chr)/u.test(language))
  for (const { id } of listed) {
    const speaker = speakers.named(id)
    assert.ok(typeof speaker !== 'string', id)
    assert.ok(spoken('Ana 1', speaker.identifier).loudest > 1_000, id)
  }
})

test('a text is a text: its markup and its brackets are not followed', () => {
  assert.ok(spoken('say <break time="30s"/> now').seconds < 5)
  assert.deepEqual(spoken('a &lt; <b> [[h@loU]] \u0007z').words, ['a', '&lt;', '<b>', '[[h@loU]]', '\u0007z'])
  assert.equal(plainText('a<b> & &#60; [[x]]\n'), 'a b> &  #60; ((x]]\n')
})

test('a text with nothing to say is silence, not a failure', () => {
  for (const text of ['...', '\u0000', '\ud800', '()']) assert.ok(spoken(text).seconds < 3)
})
