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

test('who says um, breaks off, or dictates a number is not done, in English, Spanish and Portuguese', () => {
  const open: Record<string, string[]> = {
    en: [
      'I would like, um',
      'I need uh.',
      'I want to book a table for my.',
      'I would',
      'my phone number is 555',
    ],
    es: ['quiero una mesa para el', 'Quiero una mesa para mi.', 'necesito este', 'cinco cinco cinco'],
    pt: ['eu quero uma mesa para o', 'Meu telefone é 11 98', 'preciso de uma.', 'nove oito sete seis'],
  }
  for (const [language, texts] of Object.entries(open))
    for (const text of texts) assert.ok(likelyDone(text, language) < 0.5, `${language}: ${text}`)
})

test('whole answers are not waited for, in English, Spanish and Portuguese', () => {
  const whole: Record<string, string[]> = {
    en: [
      'No.',
      'no',
      'Yes I do',
      'Where are you from?',
      'It is at 7.',
      'a table for two',
      'okay',
      '555 123 4567',
    ],
    es: ['no', 'Sí.', 'una mesa para dos', '¿De dónde es?', 'Quiero este.'],
    pt: ['não', 'Sim.', 'uma mesa para dois', 'De onde você é?', 'Meu telefone é 11 98765 4321'],
  }
  for (const [language, texts] of Object.entries(whole))
    for (const text of texts)
      for (const known of [language, null]) assert.ok(likelyDone(text, known) >= 0.5, `${language}: ${text}`)
})
