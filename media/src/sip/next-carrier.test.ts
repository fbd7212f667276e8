import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { SipTest } from '../../testing/sip-call.ts'
import { never, offerOf, type SipPeer, trunkTo } from '../../testing/sip-peer.ts'
import { isCarriersFault } from '../carrier-faults.ts'
import { MediaError } from '../plane.ts'
import type { SipRequest } from './message.ts'
import { mayAnotherCarry, SipUnanswered } from './server.ts'

const run = new SipTest()
afterEach(() => run.stop())

const [to, from] = ['+34911222333', '+34600111222']

/** Why a dial failed at a carrier that does this with the INVITE. */
async function failureAt(answer: (carrier: SipPeer, invite: SipRequest) => void): Promise<unknown> {
  const near = await run.server({ timing: { t1Ms: 400 } })
  const carrier = await run.peer(near.server)
  const calling = near.server.invite(to, trunkTo(carrier.port), from, never, { hasNext: true })
  const failed = calling.then(
    () => assert.fail('the call was answered'),
    (error: unknown) => error,
  )
  answer(carrier, await carrier.asked('INVITE'))
  return failed
}

test('another carrier may carry a call that this one does not answer, cannot route or refuses to its account', async () => {
  assert.equal(mayAnotherCarry(await failureAt(() => {})), true)
  for (const status of ['503 Service Unavailable', '500 Oops', '408 Request Timeout', '403 Forbidden'])
    assert.equal(
      mayAnotherCarry(await failureAt((carrier, invite) => carrier.answer(invite, status))),
      true,
      status,
    )
  assert.equal(mayAnotherCarry(new MediaError('sip.peer.example has no IPv4 address')), true)
})

test('no other carrier is asked once a phone rang, was busy or answered, or the number is not there', async () => {
  for (const status of ['486 Busy Here', '600 Busy', '603 Decline', '404 Not Found', '480 Away', '302 Moved'])
    assert.equal(
      mayAnotherCarry(await failureAt((carrier, invite) => carrier.answer(invite, status))),
      false,
      status,
    )
  for (const ringing of ['180 Ringing', '183 Session Progress'])
    for (const status of ['408 Request Timeout', '503 Service Unavailable'])
      assert.equal(
        mayAnotherCarry(
          await failureAt((carrier, invite) => {
            carrier.answer(invite, ringing, { headers: [`Contact: <sip:far@127.0.0.1:${carrier.port}>`] })
            carrier.answer(invite, status)
          }),
        ),
        false,
        `${ringing}, ${status}`,
      )
  const unfit = await failureAt((carrier, invite) => {
    carrier.isObliging = true
    const headers = [`Contact: <sip:far@127.0.0.1:${carrier.port}>`]
    carrier.answer(invite, '200 OK', {
      headers,
      body: offerOf(4000).replace('RTP/AVP 0 8 101', 'RTP/AVP 96'),
    })
  })
  assert.equal(mayAnotherCarry(unfit), false)
  assert.equal(mayAnotherCarry(new SipUnanswered(487, 'Request Terminated', 'given up')), false)
  assert.equal(mayAnotherCarry(new Error('a bug')), false)
})

test('of the final answers those of the carrier itself leave another carrier open', () => {
  const carriers = [400, 401, 402, 403, 407, 482, 483, 488, 500, 501, 502, 503, 504, 580]
  const callees = [300, 302, 404, 410, 480, 484, 485, 486, 487, 600, 603, 604, 606, 607, 608]
  assert.deepEqual(
    carriers.filter((status) => !isCarriersFault(status)),
    [],
  )
  assert.deepEqual(callees.filter(isCarriersFault), [])
})
