import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readWritten, writtenNumber } from './number-form.ts'

const british = { number_form: 'national', country_code: '44', trunk_prefix: '0' } as const
const spanish = { number_form: 'national', country_code: '34' } as const
const american = {
  number_form: 'national',
  country_code: '1',
  trunk_prefix: '1',
  international_prefix: '011',
} as const

test('a number is one however it is written', () => {
  for (const user of ['+34911222333', '34911222333', '0034911222333', '+34 911-222.333', '+34(911)222333'])
    for (const terms of [{}, { number_form: 'e164' }, { number_form: 'plain' }] as const)
      assert.equal(readWritten(user, terms), '+34911222333')
  for (const user of ['', '+', 'hello', '112', '+0911222333', '+3491122233344455667', '34911222333x'])
    for (const terms of [{}, british]) assert.equal(readWritten(user, terms), null, user)
})

test('a trunk gets numbers as it writes them: with +, without, or national with its prefixes', () => {
  const written = [
    [{}, '+442079460018', '+442079460018'],
    [{ number_form: 'e164' }, '+442079460018', '+442079460018'],
    [{ number_form: 'plain' }, '+442079460018', '442079460018'],
    [british, '+442079460018', '02079460018'],
    [british, '+34911222333', '0034911222333'],
    [spanish, '+34911222333', '911222333'],
    [spanish, '+442079460018', '00442079460018'],
    [american, '+14155550123', '14155550123'],
    [american, '+442079460018', '011442079460018'],
  ] as const
  for (const [terms, number, user] of written) {
    assert.equal(writtenNumber(number, terms), user)
    assert.equal(readWritten(user, terms), number)
  }
})

test('what is no number with + is left as it is', () => {
  for (const text of ['sip:desk@pbx.example', '200', 'desk', ''])
    for (const terms of [{}, { number_form: 'plain' }, british] as const)
      assert.equal(writtenNumber(text, terms), text)
})

test('a national trunk may write E.164 all the same', () => {
  assert.equal(readWritten('+442079460018', british), '+442079460018')
  assert.equal(readWritten('442079460018', british), '+442079460018')
})
