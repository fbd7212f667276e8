import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PageEvent, PageEventType } from '@switchroom/contract/browser-calls'
import { EventReader } from './page-events.ts'
import { Transcript } from './transcript.ts'

const event = (type: PageEventType, data: PageEvent['data'] = {}): PageEvent => ({ type, ts: 0, data })

test('words appear as they are heard, and what was really said replaces them', () => {
  const transcript = new Transcript()
  const texts = () => transcript.lines.map(({ who, text, isFinal }) => `${who}: ${text}${isFinal ? '' : '…'}`)
  transcript.take(event('user.speaking', { text: 'What' }))
  transcript.take(event('user.speaking', { text: 'What time' }))
  assert.deepEqual(texts(), ['user: What time…'])
  transcript.take(event('user.message', { text: 'What time is it?', messageId: 'm1' }))
  transcript.take(event('bot.word', { messageId: 'm2', word: 'It' }))
  transcript.take(event('bot.word', { messageId: 'm2', word: 'is' }))
  assert.deepEqual(texts(), ['user: What time is it?', 'agent: It is…'])
  transcript.take(event('agent.message', { messageId: 'm2', text: 'It is' }))
  assert.equal(transcript.take(event('bot.word', { messageId: 'm2', word: 'noon' })), undefined)
  transcript.take(event('user.speaking', { text: 'Thanks' }))
  assert.deepEqual(texts(), ['user: What time is it?', 'agent: It is', 'user: Thanks…'])
})

test('the agent listens, thinks once the caller has finished, speaks, and listens again when interrupted', () => {
  const transcript = new Transcript()
  const types: PageEventType[] = [
    'bot.speaking',
    'bot.finished',
    'user.speaking',
    'turn.end',
    'turn.continued',
    'turn.end',
    'bot.speaking',
    'bot.interrupted',
  ]
  const states = types.map((type) => {
    transcript.take(event(type, { text: 'x', messageId: 'm' }))
    return transcript.state
  })
  assert.deepEqual(states, [
    'speaking',
    'listening',
    'listening',
    'thinking',
    'listening',
    'thinking',
    'speaking',
    'listening',
  ])
})

test('events are read out of any pieces, markers and pings move no cursor, and the end is seen', () => {
  const seen: string[] = []
  const reader = new EventReader(({ type, data }) => seen.push(`${type} ${data.text ?? ''}`))
  const frame = (id: string, type: PageEventType, text: string) =>
    `${id}event: ${type}\ndata: ${JSON.stringify(event(type, { text }))}\n\n`
  const whole = [
    ':ping\n\n',
    frame('id: 4\n', 'user.message', 'a: b'),
    'event: log.caught_up\ndata: {"type":"log.caught_up","seq":9}\n\n',
    frame('', 'user.speaking', 'c'),
    frame('id: 6\n', 'call.ended', ''),
  ].join('')
  for (let at = 0; at < whole.length; at += 7) {
    assert.equal(reader.hasEnded, false)
    reader.take(whole.slice(at, at + 7))
  }
  assert.deepEqual(seen, ['user.message a: b', 'user.speaking c', 'call.ended '])
  assert.deepEqual([reader.lastEventId, reader.hasEnded], ['6', true])
})
