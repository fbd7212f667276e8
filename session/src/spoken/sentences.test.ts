import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Sentences } from './sentences.ts'
import { likelyDone } from './end-of-turn.ts'

function pieces(...texts: string[]) {
  const sentences = new Sentences()
  return [...texts.flatMap((text) => sentences.add(text)), ...sentences.rest()]
}

test('a text is said sentence by sentence, the first as soon as it is one', () => {
  const text =
    'Certainly, yes. It is Dr. Smith who comes at 3.30 today. And he will bring the papers that you wanted.'
  const cut = pieces(...(text.match(/.{1,7}/gsu) ?? []))
  assert.equal(cut.join(''), text)
  assert.deepEqual(cut, [
    'Certainly, yes. ',
    'It is Dr. Smith who comes at 3.30 today. ',
    'And he will bring the papers that you wanted.',
  ])
})

test('the first words of a long sentence are said once a part of it is complete, and the rest as a whole', () => {
  const text =
    'Well, the table by the window is free tonight, so I can keep it for you, if you like, until eight.'
  const cut = pieces(...(text.match(/.{1,7}/gsu) ?? []))
  assert.deepEqual(cut, [
    'Well, the table by the window is free tonight, ',
    'so I can keep it for you, if you like, until eight.',
  ])
})

test('a text without any end is cut between words', () => {
  const text = 'word '.repeat(200)
  const cut = pieces(text)
  assert.equal(cut.join(''), text)
  assert.ok(cut.every((piece) => piece.length <= 401 && piece.endsWith(' ')))
})

test('who ends a sentence is likely done, who stops after a little word is not', () => {
  assert.ok(likelyDone('A table for two.') > likelyDone('A table for two'))
  assert.ok(likelyDone('A table for two') > 0.5)
  for (const text of ['A table for', 'Quiero una mesa para', 'Well,', 'And then...', 'I want the…'])
    assert.ok(likelyDone(text) < 0.5, text)
})
