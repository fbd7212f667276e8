import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { SipTest } from '../../testing/sip-call.ts'
import { offerOf } from '../../testing/sip-peer.ts'

const run = new SipTest()
afterEach(() => run.stop())

test('a phone on this machine asks for an agent by what is a name, and by nothing else', async () => {
  const { server, invites } = await run.server({ isLocalAllowed: true })
  const phone = await run.peer(server)
  const asked = async (user: string, callId: string) => {
    const to = `sip:${user}@127.0.0.1`
    phone.request({ method: 'INVITE', to, body: offerOf(4000), headers: { 'Call-ID': callId } })
    const answer = await phone.find((message) => message.callId === callId)
    return 'status' in answer && answer.status
  }
  const long = 'x'.repeat(128)
  for (const [at, user] of ['hello', 'front-desk', 'a.b_c', '+34911222333', long].entries())
    assert.equal(await asked(user, `name-${at}`), user === '+34911222333' ? 404 : 100, user)
  for (const [at, user] of [
    '%20',
    'a%20b',
    '..%2Fhello',
    'hello%0d%0a',
    '%F0%9F%98%80',
    `${long}x`,
  ].entries())
    assert.equal(await asked(user, `other-${at}`), 404, user)
  assert.deepEqual(
    invites.map(({ agent }) => agent),
    ['hello', 'front-desk', 'a.b_c', long],
  )
})
