import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AnswerClassifier } from './answer-classifier.ts'
import { isPersonSaying, machineSaying } from './machine-words.ts'

const rate = 8_000
const windowMs = 32

type Sound = readonly [kind: 'voice' | 'silence' | number, ms: number]

/** What a call sounds like: a voice, silence, or a tone of so many hertz. */
function hearing(...sounds: Sound[]) {
  const classifier = new AnswerClassifier(rate)
  let at = 0
  for (const [kind, ms] of sounds)
    for (let heardMs = 0; heardMs < ms && !classifier.verdict(); heardMs += windowMs) {
      const samples = Int16Array.from({ length: (rate * windowMs) / 1_000 }, () => {
        at += 1
        if (kind === 'silence') return 0
        return kind === 'voice'
          ? (at * 7_919) % 9_000
          : 5_000 * Math.sin((2 * Math.PI * kind * at) / rate) + ((at * 31) % 60)
      })
      classifier.add(samples)
      classifier.window(kind === 'voice' ? 0.9 : 0.05, windowMs)
    }
  return classifier
}

test('a short hello and a pause is a person, one long sentence is a machine', () => {
  assert.deepEqual(hearing(['silence', 500], ['voice', 600], ['silence', 900]).verdict(), { by: 'person' })
  assert.deepEqual(hearing(['silence', 500], ['voice', 2_000]).verdict(), {
    by: 'machine',
    kind: 'voicemail',
  })
})

test('when time is up silence is unknown, and a sentence that has not ended is a machine', () => {
  assert.deepEqual(hearing(['silence', 3_000]).guess(), { by: 'unknown' })
  assert.deepEqual(hearing(['silence', 1_500], ['voice', 1_400]).guess(), {
    by: 'machine',
    kind: 'voicemail',
  })
  assert.deepEqual(hearing(['silence', 2_800], ['voice', 200]).guess(), { by: 'unknown' })
})

test('the tones of a fax machine are told from a beep and from a voice', () => {
  assert.deepEqual(hearing([1_100, 500]).verdict(), { by: 'machine', kind: 'fax' })
  assert.deepEqual(hearing([2_100, 600]).verdict(), { by: 'machine', kind: 'fax' })
  assert.equal(hearing([1_000, 600]).verdict(), null)
})

test('a beep is over when the tone is, and a click is none', () => {
  assert.equal(hearing(['voice', 400], [1_400, 400]).hasBeeped, false)
  assert.equal(hearing(['voice', 400], [1_400, 400], ['silence', 100]).hasBeeped, true)
  assert.equal(hearing(['voice', 400], [1_400, 60], ['silence', 100]).hasBeeped, false)
})

test('a machine is known by its words in several languages, and a person is not', () => {
  const voicemails = [
    'Hi, this is Bob, leave me a message and I will call you back.',
    'The person you are calling is not available right now.',
    'Your call has been forwarded to an automatic voice message system; at the tone please record your message',
    'Deje su mensaje después de la señal.',
    'En este momento no estoy disponible.',
    'Deixe o seu recado após o sinal.',
    'Sua chamada está sendo encaminhada para a caixa postal.',
    'Laissez un message après le bip.',
    'Оставьте сообщение после сигнала.',
  ]
  for (const text of voicemails) assert.equal(machineSaying(text), 'voicemail', text)
  const screenings = [
    'Please state your name and why you are calling.',
    'Hi, if you record your name and reason for calling, I will see if this person is available.',
    'Por favor diga su nombre y el motivo de su llamada.',
    'Por favor, diga seu nome e o motivo da ligação.',
  ]
  for (const text of screenings) assert.equal(machineSaying(text), 'screening', text)
  const persons = ['Hello?', 'Yes, Bob speaking.', '¿Bueno?', 'Alô, quem fala?', 'Hello, who is this?', 'Да?']
  for (const text of persons) assert.equal(machineSaying(text), null, text)
  assert.ok(isPersonSaying('Good morning, Acme Plumbing, this is Bob, how can I help you?'))
})
