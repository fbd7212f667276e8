import assert from 'node:assert/strict'
import { test } from 'node:test'
import { screenSentence } from './screen-sentences.ts'

const shown = [
  ['nobody answers to that email and password', 'Wrong email or password.'],
  ['this door takes an API key', 'Sign in to continue.'],
  ['this corner is at v3 now', 'Version 3 was saved in the meantime. Your changes were not saved.'],
  ['voice, tts set by the class of bakery', 'Set in code by bakery: voice, tts.'],
  [
    'openai did not answer: nothing was kept, try again',
    'Openai did not answer. Nothing was saved. Try again.',
  ],
] as const

test('a sentence that the documents fix on the wire is shown in plain words', () => {
  for (const [wire, screen] of shown) assert.equal(screenSentence(wire), screen)
})

test('every other sentence is shown with a capital letter and a full stop', () => {
  assert.equal(screenSentence('a password is at least 8 characters'), 'A password is at least 8 characters.')
  assert.equal(screenSentence('The gateway cannot be reached.'), 'The gateway cannot be reached.')
})

test('an address at the end of a sentence gets no full stop', () => {
  assert.equal(screenSentence('call POST /v1/carrier'), 'Call POST /v1/carrier')
})

test('a sentence that begins with a name keeps the name as it is', () => {
  for (const name of ['ana@example.com', 'per_minute', '+34600123456', 'no_consent:'])
    assert.equal(screenSentence(`${name} is wrong`), `${name} is wrong.`)
})
