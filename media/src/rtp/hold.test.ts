import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sine, strengthOf } from '@switchroom/audio/testing/tones'
import { heardFrames, joined, onThePhone } from '../../testing/rtp-call.ts'
import { loudPart } from '../../testing/rtp-phone.ts'

test('a party that holds us is not heard until it resumes, whatever music it sends, and who listens is told', async (t) => {
  const { phone, leg } = await onThePhone(t)
  const told: boolean[] = []
  leg.updateTerms(phone.terms, true)
  leg.onHold((isHeld) => told.push(isHeld))
  const before = leg.line.heard.expected
  for (let at = 0; at < 10; at += 1) phone.say(sine(800, 160, 8000, at * 160))
  while (leg.line.heard.expected < before + 10) await new Promise((resolve) => setTimeout(resolve, 5))
  leg.updateTerms(phone.terms, false)
  for (let at = 10; at < 20; at += 1) phone.say(sine(440, 160, 8000, at * 160))
  const heard = joined(await heardFrames(leg, 8))
  assert.ok(strengthOf(440, heard) > 0.9, String(strengthOf(440, heard)))
  assert.deepEqual(told, [true, false])
})

test('what is played between is heard over and over while nothing else is played, and counts for nothing', async (t) => {
  const { phone, leg } = await onThePhone(t)
  leg.playBetween(sine(500, 1600))
  const isLoud = ({ payload }: { payload: Uint8Array }) => payload.some((byte) => byte !== 0xff)
  await phone.until((packets) => packets.filter(isLoud).length > 20)
  assert.ok(strengthOf(500, loudPart(phone.heard)) > 0.9)
  assert.equal(leg.playedMs, 0)
  await leg.play(sine(900, 3200))
  await leg.drained()
  assert.equal(leg.playedMs, 400)
  leg.playBetween(null)
  await phone.until((packets) => packets.length > 30 && !packets.slice(-5).some(isLoud))
})
