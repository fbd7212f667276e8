import assert from 'node:assert/strict'
import { after, before, suite, test, type TestContext } from 'node:test'
import { dispose } from '@livekit/rtc-node'
import { RoomVisitor } from '../../testing/livekit-caller.ts'
import { LiveKitProgram } from '../../testing/livekit-program.ts'
import { meanStrengthOf, sine } from '@switchroom/audio/testing/tones'
import { LiveKitDispatch, type RoomJob } from './dispatch.ts'
import { RoomLeg, type RoomServer } from './room.ts'
import { LiveKitServer } from './server.ts'
import { MediaError } from '../plane.ts'

const { path } = LiveKitProgram
const skip =
  path === undefined ? 'set SVC_TEST_LIVEKIT to the path of a LiveKit server: docs/voice.md says how' : false
let program: LiveKitProgram

/** A worker that takes `free` calls, and the calls it is given. */
async function worker(t: TestContext, fleet: string, free = 1) {
  const jobs: RoomJob[] = []
  const wake: (() => void)[] = []
  const dispatch = await LiveKitDispatch.register({
    address: program.address,
    fleet,
    free: () => free - jobs.length,
    load: () => jobs.length / free,
    onJob: (job) => {
      jobs.push(job)
      for (const one of wake.splice(0)) one()
    },
  })
  t.after(() => dispatch.stop())
  const job = async (at: number): Promise<RoomJob> => {
    while (!jobs[at]) await new Promise<void>((resolve) => wake.push(resolve))
    return jobs[at]
  }
  return { dispatch, jobs, job }
}

async function roomCall(t: TestContext, name: string, ask: Partial<RoomServer> = {}) {
  const server = new LiveKitServer(program.address)
  const { job, dispatch } = await worker(t, `fleet-${name}`)
  await server.sendWorker(name, `fleet-${name}`, JSON.stringify({ call: name }))
  const given = await job(0)
  const leg = await RoomLeg.join(given, Object.assign(server, ask))
  leg.answer()
  t.after(() => leg.hangUp())
  const visitor = await RoomVisitor.enter(program.address, name, 440)
  t.after(() => visitor.leave())
  return { server, given, leg, visitor, dispatch }
}

suite('a real LiveKit server', { skip }, () => {
  before(async () => {
    program = await LiveKitProgram.start(path ?? '')
  })

  after(async () => {
    await program.stop()
    await dispose()
  })

  test('a call that is dispatched to a fleet reaches its worker, which hears and answers', async (t) => {
    const { given, leg, visitor } = await roomCall(t, 'heard')
    assert.deepEqual([given.room, JSON.parse(given.metadata)], ['heard', { call: 'heard' }])
    assert.deepEqual(await leg.caller, { identity: 'caller', attributes: { colour: 'blue' }, isPhone: false })
    let frames: number[] = []
    // a busy machine may leave gaps at first
    for await (const frame of leg.heard()) {
      assert.equal(frame.length, 480)
      frames = [...frames, ...frame].slice(-480 * 25)
      if (frames.length === 480 * 25 && meanStrengthOf(440, Int16Array.from(frames), 24_000) > 0.5) break
    }
    void leg.play(sine(1000, 24_000, 24_000))
    await visitor.hears(1000)
    await leg.drained()
    assert.ok(leg.playedMs > 900 && leg.playedMs <= 1000)
  })

  test('what was not played in a room is dropped at once', async (t) => {
    const { leg, visitor } = await roomCall(t, 'cleared')
    void leg.play(sine(1000, 240_000, 24_000))
    await visitor.hears(1000)
    leg.clear()
    await leg.drained()
    const played = leg.playedMs
    assert.ok(played > 0 && played < 5000)
    void leg.play(sine(700, 24_000, 24_000))
    await visitor.hears(700)
    assert.ok(leg.playedMs >= played)
  })

  test('keys are pressed in a room, both ways', async (t) => {
    const { leg, visitor } = await roomCall(t, 'pressed')
    const pressed = Promise.withResolvers<string>()
    leg.onTone(pressed.resolve)
    await leg.caller
    await visitor.press('#')
    assert.equal(await pressed.promise, '#')
    await leg.sendTones('4a')
    await visitor.until(() => visitor.digits.length === 2)
    assert.deepEqual(visitor.digits, ['4', 'A'])
    await assert.rejects(
      leg.sendTones('x'),
      new MediaError('"X" is on no keypad: the keys are 0123456789*#ABCD'),
    )
    await assert.rejects(leg.transfer('+14155550100'), new MediaError('no phone is in the call'))
  })

  test('a caller who leaves the room hung up', async (t) => {
    const { leg, visitor, given } = await roomCall(t, 'left')
    await leg.caller
    await visitor.leave()
    assert.equal(await leg.ended, 'hangup')
    given.done()
  })

  test('hanging up ends the room for everybody in it', async (t) => {
    const { server, leg } = await roomCall(t, 'hung-up')
    await leg.caller
    await leg.hangUp()
    assert.equal(await leg.ended, 'hangup')
    await assert.rejects(server.transfer('hung-up', 'tel:+1'), MediaError)
  })

  test('hanging up ends the room even if the worker was removed from it before', async (t) => {
    const { server, leg, given, visitor } = await roomCall(t, 'put-out')
    await leg.caller
    assert.equal(await server.remove('put-out', `agent-${given.id}`), true)
    assert.equal(await leg.ended, 'hangup')
    assert.ok((await server.rooms()).includes('put-out'))
    await leg.hangUp()
    assert.ok(!(await server.rooms()).includes('put-out'))
    await visitor.putOut
    assert.equal(await server.remove('put-out', 'caller'), false)
  })

  const trunk = { hostname: 'pstn.example', transport: 'udp', auth_username: '', auth_password: '' } as const
  const guest = { to: '+15550100001', from: '+15550100002', trunk }

  test('who is brought to a caller who has gone meanwhile is sent away, and once more when they answer all the same', async (t) => {
    const answered = Promise.withResolvers<void>()
    const removed: string[] = []
    const { leg } = await roomCall(t, 'given-up', {
      bring: () => answered.promise,
      remove: async (_room, identity) => removed.push(identity) > 0,
    })
    const gone = new MediaError('the caller is gone')
    await assert.rejects(leg.bring(guest, AbortSignal.abort()), gone)
    assert.deepEqual(removed, [])
    const giveUp = new AbortController()
    const bringing = leg.bring(guest, giveUp.signal)
    giveUp.abort()
    await assert.rejects(bringing, gone)
    assert.deepEqual(removed, ['guest-+15550100001'])
    answered.resolve()
    await new Promise(setImmediate)
    assert.deepEqual(removed, ['guest-+15550100001', 'guest-+15550100001'])
  })

  test('a server that has no phones says so in its own words, and nothing of ours', async (t) => {
    const { leg } = await roomCall(t, 'no-phones')
    const { signal } = new AbortController()
    await assert.rejects(leg.bring(guest, signal), new MediaError('sip not connected (redis required)'))
  })

  test('a room that is taken away ends the call', async (t) => {
    const { server, leg } = await roomCall(t, 'deleted')
    await leg.caller
    await server.deleteRoom('deleted')
    assert.equal(await leg.ended, 'hangup')
  })

  test('a worker that drains is given no call: the next one gets it', async (t) => {
    const [first, second] = [await worker(t, 'shared', 5), await worker(t, 'shared', 5)]
    first.dispatch.drain()
    const server = new LiveKitServer(program.address)
    for (const at of [0, 1, 2]) {
      await server.sendWorker(`drained-${at}`, 'shared', '')
      await second.job(at)
    }
    assert.equal(first.jobs.length, 0)
  })

  test('joining a room with a wrong token fails with a sentence', async () => {
    const terms = { url: program.address.url, room: 'wrong', token: 'wrong' }
    await assert.rejects(RoomLeg.join(terms, new LiveKitServer(program.address)), MediaError)
  })

  test('a worker with a wrong secret is refused with a sentence', async () => {
    const address = { ...program.address, secret: 'another-secret-that-is-as-long-as-the-real' }
    const options = { address, fleet: 'f', free: () => 1, load: () => 0, onJob: () => {} }
    await assert.rejects(
      LiveKitDispatch.register(options),
      new MediaError('the media server did not take this worker'),
    )
  })
})
