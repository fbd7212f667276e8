import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callIn } from '@switchroom/media/livekit/names'
import { callOf, partiesOf } from './livekit-job.ts'

test('a room that a phone made is a call named after it, and any other is the call that its metadata names', () => {
  const room = 'call-_+34610000001_x1y2'
  assert.deepEqual(callOf({ room, metadata: '' }), { way: 'arrived', call: callIn(room) })
  assert.match(callIn(room), /^call_[0-9a-f]{24}$/)
  assert.notEqual(callIn(room), callIn(`${room}z`))
  const known = { room: 'call-call_1', metadata: '{"call":"call_1","org":"o"}' }
  assert.deepEqual(callOf(known), { way: 'known', call: 'call_1' })
  const placed = { room: 'call-call_2', metadata: '{"call":"call_2","max_duration_s":600}' }
  assert.deepEqual(callOf(placed), { way: 'placed', call: 'call_2', maxDurationS: 600 })
  for (const metadata of ['{', '[]', 'null', '{"call":7}', '{"call":""}'])
    assert.equal(callOf({ room, metadata }), undefined)
})

test('the calling and the called number are what the SIP service says, whole numbers with their plus', () => {
  const phone = (attributes: Record<string, string>) => ({ identity: 'sip_1', attributes, isPhone: true })
  const said = { 'sip.trunkPhoneNumber': '34910000001', 'sip.phoneNumber': '+34610000001' }
  assert.deepEqual(partiesOf(phone(said)), { number: '+34910000001', from: '+34610000001' })
  assert.deepEqual(partiesOf(phone({ 'sip.trunkPhoneNumber': '+34910000001' })), {
    number: '+34910000001',
    from: '',
  })
  assert.equal(partiesOf(phone({ 'sip.phoneNumber': '+34610000001' })), undefined)
  assert.equal(partiesOf({ ...phone(said), isPhone: false }), undefined)
})
