import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import { heardFrames, joined, onThePhone } from '../../testing/rtp-call.ts'
import { sine, strengthOf } from '@switchroom/audio/testing/tones'
import { MediaError } from '../plane.ts'
import { LearnedSource } from './learned-source.ts'
import { playSentence } from './play-sentence.ts'

const phoneAt = (port: number, address = '192.0.2.1') => ({ address, port })

test('keys that are pressed before anything listens go to the first listener, once', async (t) => {
  const { phone, leg } = await onThePhone(t)
  phone.press(1, 1000, true)
  phone.say(sine(440))
  await heardFrames(leg, 1) // the key came before
  leg.press('2')
  const [first, second]: [string[], string[]] = [[], []]
  leg.onTone((digit) => first.push(digit))
  leg.onTone((digit) => second.push(digit))
  leg.press('3')
  assert.deepEqual([first, second], [['1', '2'], ['3']])
})

test('without a listener, no more keys are kept than a person presses', async (t) => {
  const { leg } = await onThePhone(t)
  for (let at = 0; at < 1000; at += 1) leg.press('1')
  let told = 0
  leg.onTone(() => (told += 1))
  assert.equal(told, 32)
})

test('a phone whose packets are counted anew in the middle of a call is heard, and so are its keys', async (t) => {
  const { phone, leg } = await onThePhone(t)
  const digits: string[] = []
  leg.onTone((digit) => digits.push(digit))
  phone.press(1, 4_000_000_000, true)
  for (let at = 0; at < 5; at += 1)
    phone.say(sine(440, 160, 8000, at * 160), at === 0 ? { timestamp: 4_000_000_000 } : {})
  assert.ok(strengthOf(440, joined(await heardFrames(leg, 3))) > 0.9)
  phone.press(2, 2_500_000_000, true)
  const from = { ssrc: 99 }
  for (let at = 0; at < 5; at += 1)
    phone.say(sine(900, 160, 8000, at * 160), at === 0 ? { ...from, timestamp: 2_500_000_000 } : from)
  for await (const frame of leg.heard()) if (strengthOf(900, frame) > 0.9) break
  assert.deepEqual(digits, ['1', '2'])
})

test('nothing is learned from a packet that comes from port 0, to which nothing can be sent', () => {
  const signalled = { ...phoneAt(4000), signalledFrom: '192.0.2.9' }
  const learned = new LearnedSource(signalled)
  assert.equal(learned.accepts(phoneAt(0, '192.0.2.9'), 0), false)
  assert.deepEqual(learned.source, signalled)
})

test('the first packet is believed from the signalled address and the network of the signalling alone', () => {
  const behindRouter = { address: '10.0.0.1', port: 4000, signalledFrom: '198.51.100.7' }
  const firstFrom = (address: string) => new LearnedSource(behindRouter).accepts({ address, port: 9000 }, 0)
  assert.deepEqual(['10.0.0.1', '198.51.100.7', '198.51.100.200'].map(firstFrom), [true, true, true])
  const strangers = ['203.0.113.5', '198.51.101.7', '10.0.0.2', '2001:db8::1']
  assert.deepEqual(strangers.map(firstFrom), [false, false, false, false])
  const learned = new LearnedSource(behindRouter)
  const moved = { address: '203.0.113.5', port: 4000, signalledFrom: '198.51.100.7' }
  assert.equal(learned.accepts({ address: '203.0.113.5', port: 4000 }, 0), false)
  learned.signal(moved)
  assert.equal(learned.accepts({ address: '203.0.113.5', port: 4000 }, 0), true)
})

test('a phone behind a router that gives it another port is heard at it after a silence, and no other source is', () => {
  const learned = new LearnedSource({ ...phoneAt(4000, '10.0.0.1'), signalledFrom: phoneAt(0).address })
  assert.equal(learned.accepts(phoneAt(5000), 0), true)
  assert.equal(learned.accepts(phoneAt(5002), 1_000), false)
  assert.equal(learned.accepts(phoneAt(5002, '192.0.2.9'), 60_000), false)
  assert.equal(learned.accepts(phoneAt(5002), 60_000), true)
  assert.deepEqual(learned.source, phoneAt(5002))
})

test('a phone that only listens is not lost because it says nothing', async (t) => {
  const { leg } = await onThePhone(t, 'PCMU', { onlyListens: true })
  for (let frame = 0; frame < 2000; frame += 1) leg.tick()
  assert.equal(await Promise.race([leg.ended, Promise.resolve('stands')]), 'stands')
})

test('a port that is taken leaves no socket behind', async (t) => {
  const { phone } = await onThePhone(t)
  const sockets = () => readdirSync('/proc/self/fd').length
  const before = sockets()
  for (let at = 0; at < 5; at += 1)
    await assert.rejects(playSentence(phone.terms, sine(600)), (error) => error instanceof MediaError)
  assert.equal(sockets(), before)
})
