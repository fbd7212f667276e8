import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isSameLanguage } from './languages.ts'

test('tags of one language are the same under its older code and in any region', () => {
  for (const [one, other] of [
    ['pt', 'pt-BR'],
    ['no', 'nb-NO'],
    ['tl', 'fil'],
    ['iw', 'HE-il'],
    ['jw', 'jv'],
  ] as const)
    assert.equal(isSameLanguage(one, other), true, `${one} and ${other}`)
  assert.equal(isSameLanguage('pt', 'es-419'), false)
  assert.equal(isSameLanguage('multi', 'en'), false)
})
