import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { AppClient } from '../../../testing/agents/app-client.ts'
import { startDeployment } from '../../../testing/deployment.ts'
import { append, entriesOf, openCall } from '../../../testing/calls/assigned-call.ts'
import { until } from '../../../testing/until.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const org = await deployment.newOrg()
const ci = await org.serverToken('sandbox')
const app = await AppClient.connect(deployment.url, ci.key)
after(() => app.close())
await app.register('desk')

const newCall = async (channel: string) => {
  const call = await openCall(deployment, ci.client, 'desk', { channel, caller: '+34911234567' })
  await append(deployment, call, { type: 'call.started', data: {} })
  await until('the app receives the event', () =>
    app.frames.find((frame) => frame.type === 'call.started' && frame.call === call.id),
  )
  return call
}
const transfer = (call: string, more: object = {}) =>
  app.send({ type: 'call.transfer', call, to: '+15550100100', kind: 'warm', ...more })
const refusedAs = async (call: string, detail: string) => {
  const frame = await until('it is refused', () =>
    app.frames.find((each) => each.type === 'error' && each.call === call && each.detail === detail),
  )
  assert.equal(frame.code, 'BAD_FRAME')
}
/** Frames are taken in order: once this is refused, those before it were taken. */
const taken = async (call: string) => {
  app.send({ type: 'call.say', call, text: ' ' })
  await refusedAs(call, 'text: is blank')
}

test('an app transfers a caller or sends tones: the worker reads the request in the log, and the app receives only the result', async () => {
  const call = await newCall('phone')
  transfer(call.id)
  transfer(call.id, { to: '201' })
  transfer(call.id, { to: 'sip:desk@pbx.example' })
  transfer(call.id, { kind: 'cold' })
  app.send({ type: 'call.tones', call: call.id, digits: '12#*A' })
  await taken(call.id)
  const [, ...entries] = await entriesOf(deployment, call.id)
  assert.deepEqual(
    entries.map(({ type, data }) => [type, data]),
    [
      ['transfer.requested', { to: '+15550100100', kind: 'warm' }],
      ['transfer.requested', { to: '201', kind: 'warm' }],
      ['transfer.requested', { to: 'sip:desk@pbx.example', kind: 'warm' }],
      ['transfer.requested', { to: '+15550100100', kind: 'cold' }],
      ['tones.requested', { digits: '12#*A' }],
    ],
  )
  const came = [
    { type: 'call.dtmf_sent', data: { callId: call.id, digits: '12#*A' } },
    { type: 'call.transferred', data: { to: '+15550100100', kind: 'cold', ok: true } },
  ]
  await append(deployment, call, ...came)
  await until('the event arrives', () => app.frames.some((frame) => frame.type === 'call.transferred'))
  const told = app.frames.filter(
    (frame) => frame.call === call.id && !['error', 'call.started'].includes(frame.type),
  )
  assert.deepEqual(
    told.map(({ type, data }) => ({ type, data })),
    came,
  )
})

test('a browser call is transferred like a phone call, and takes no tones', async () => {
  const { id } = await newCall('web')
  transfer(id)
  app.send({ type: 'call.tones', call: id, digits: '1' })
  await refusedAs(id, `call ${id} is no phone call, and so cannot be sent tones`)
  const [, ...entries] = await entriesOf(deployment, id)
  assert.deepEqual(
    entries.map(({ type, data }) => [type, data]),
    [['transfer.requested', { to: '+15550100100', kind: 'warm' }]],
  )
})

test('a written call is not sent on and takes no tones, and a spoken one goes to a number in international form, an extension or a SIP address', async () => {
  for (const channel of ['chat', 'msgapp']) {
    const { id } = await newCall(channel)
    transfer(id)
    await refusedAs(id, `call ${id} is written, and so cannot be transferred`)
    app.send({ type: 'call.tones', call: id, digits: '1' })
    await refusedAs(id, `call ${id} is no phone call, and so cannot be sent tones`)
    assert.equal((await entriesOf(deployment, id)).length, 1)
  }
  const { id } = await newCall('phone')
  for (const to of ['sales', '0201', '201@pbx']) {
    transfer(id, { to, kind: 'warm' })
    await refusedAs(
      id,
      'to is a number in international form, as +15550100100, an extension, as 201, or a SIP address, as sip:desk@pbx.example',
    )
  }
  transfer(id, { to: 'sip:desk@pbx.example;x=y', kind: 'cold' })
  await refusedAs(
    id,
    'to is a number in international form, as +15550100100, an extension, as 201, or a SIP address, as sip:desk@pbx.example',
  )
  for (const wrong of [{ kind: 'hot' }, { to: undefined }]) {
    const errors = app.frames.filter(({ type }) => type === 'error').length
    transfer(id, wrong)
    await until('it is refused', () => app.frames.filter(({ type }) => type === 'error').length > errors)
  }
  for (const digits of ['', '1x', '1'.repeat(33)]) {
    const errors = app.frames.filter(({ type }) => type === 'error').length
    app.send({ type: 'call.tones', call: id, digits })
    await until('it is refused', () => app.frames.filter(({ type }) => type === 'error').length > errors)
  }
  assert.equal((await entriesOf(deployment, id)).length, 1)
})

test('a cold transfer may name an extension or a SIP address, which the guards judge later', async () => {
  const { id } = await newCall('phone')
  for (const to of ['201', 'sip:desk@pbx.example']) transfer(id, { to, kind: 'cold' })
  await until('both are logged', async () => (await entriesOf(deployment, id)).length === 3)
})

test('a call that has ended is sent nowhere', async () => {
  const call = await newCall('phone')
  await append(deployment, call, { type: 'call.ended', data: { reason: 'hangup' } })
  transfer(call.id)
  await refusedAs(call.id, 'this call has ended')
})

test('the refusal of a transfer repeats what the app calls it', async () => {
  const call = await newCall('phone')
  transfer(call.id, { to: 'nowhere', request: 'req-1' })
  const refused = await until('it is refused', () =>
    app.frames.find(({ type, request }) => type === 'error' && request === 'req-1'),
  )
  assert.deepEqual([refused.call, refused.code], [call.id, 'BAD_FRAME'])
  transfer(call.id, { request: 'x'.repeat(65) })
  await until('it is refused', () =>
    app.frames.some(({ type, detail, request }) => {
      return type === 'error' && detail.startsWith('request: ') && request === undefined
    }),
  )
})
