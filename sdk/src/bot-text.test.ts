import assert from 'node:assert/strict'
import { test } from 'node:test'
import { joined } from './bot-text.ts'

const said = (...words: string[]) => words.reduce(joined, '')

test('words are joined as a person would write them, in any script, and keep a space of their own (N-453)', () => {
  assert.equal(said('Hello', ',', 'Ana', '!'), 'Hello, Ana!')
  assert.equal(said('Hello', ' Ana', '.'), 'Hello Ana.')
  assert.equal(said('Hello ', 'Ana'), 'Hello Ana')
  assert.equal(said('¿', 'Qué', 'tal', '?'), '¿Qué tal?')
  assert.equal(said('it', 'costs', '(', 'about', ')', '10', '%'), 'it costs (about) 10%')
  assert.equal(said('今日', 'は', '晴れ', '。'), '今日は晴れ。')
  assert.equal(said('สวัสดี', 'ครับ'), 'สวัสดีครับ')
  assert.equal(said('안녕', '하세요'), '안녕 하세요')
})
