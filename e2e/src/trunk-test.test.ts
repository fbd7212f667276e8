import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { done } from '@switchroom/gateway/testing/agents/test-agents'
import { RtpLeg } from '@switchroom/media/rtp/rtp-leg'
import { SipServer, type IncomingInvite, type SipDialog } from '@switchroom/media/sip/server'
import { MediaPorts } from '@switchroom/media/rtp/media-ports'
import { startVoiceAgent } from './spoken-fixture.ts'

const address = '127.0.0.2'
const reachable = { SVC_PRIVATE_HOSTS: address }
const fixture = await startVoiceAgent(
  { after },
  {},
  { gateway: { SVC_DOMAIN: 'voice.example', ...reachable }, worker: { SVC_SIP_LOCAL_ORG: '', ...reachable } },
)
const { deployment, org, worker } = fixture
const [first, second] = ['+34910000001', '+34910000002']

const legOf = (dialog: SipDialog) =>
  RtpLeg.open(dialog.terms, {
    hangUp: () => dialog.bye(),
    transfer: (to) => dialog.refer(to),
    ended: dialog.ended,
  })

async function carry(from: RtpLeg, to: RtpLeg) {
  for await (const frame of from.heard()) await to.play(frame)
  await to.hangUp().catch(() => {})
}

/** Lets the org's own numbers ring at the worker, as a carrier does, and joins the two calls. */
async function sendBack(carrier: SipServer, invite: IncomingInvite) {
  const trunk = {
    hostname: `127.0.0.1:${worker.sipPort}`,
    transport: 'udp',
    auth_username: '',
    auth_password: '',
  } as const
  const called = await carrier.invite(invite.number ?? '', trunk, invite.from, invite.signal)
  const [caller, callee] = [await legOf(await invite.accept()), await legOf(called)]
  await Promise.all([carry(caller, callee), carry(callee, caller)])
}

/** The org's carrier, at an address that the org could not name itself. */
async function openCarrier() {
  const ports = new MediaPorts({ first: 40_000, last: 59_999 })
  const sip: SipServer = await SipServer.start({
    host: address,
    port: 0,
    publicAddress: address,
    fences: () => [
      { name: 'us', networks: ['127.0.0.0/8'], numbers: [first, second], pair: null, fleet: 'carrier' },
    ],
    isLocalAllowed: false,
    allocatePort: ports.allocate,
    releasePort: ports.release,
    onInvite: (invite) => void sendBack(sip, invite).catch(() => invite.reject(480)),
  })
  after(() => sip.stop())
  const { client } = await org.person('admin')
  const account = { kind: 'sip', username: 'acme', auth: 'ip', addresses: ['8.8.8.2'] }
  done(await client.put('/v1/carrier', { ...account, outbound_host: `${address}:${sip.port}` }))
  await deployment.sql(`update networks set network = $1 where network = '8.8.8.2'`, [address])
  await deployment.sql(`update carrier_accounts set networks = array[$1] where account = 'acme'`, [address])
  const { networks } = done(await deployment.operator.get('/v1/ops/networks?state=waiting'))
  for (const { id } of networks) done(await deployment.operator.post(`/v1/ops/networks/${id}/approve`))
  for (const number of [first, second]) done(await client.post('/v1/numbers', { number, agent: 'hello' }))
  return client
}

const client = await openCarrier()
interface Tested {
  steps: { step: string; state: string; says: string }[]
}

const statesOf = ({ steps }: Tested) => steps.map(({ step, state }) => `${step} ${state}`)

test('a trunk is tested by a worker, without a call', async () => {
  const tested: Tested = done(await client.post('/v1/carrier/test', {}))
  assert.deepEqual(statesOf(tested), [
    'location ok',
    'connection skipped',
    'options ok',
    'registration skipped',
    'call skipped',
  ])
})

test('a number of the org itself is called through the carrier and back, echoes without an agent, and our tone returns', async () => {
  const tested: Tested = done(await client.post('/v1/carrier/test', { call: second, from: first }))
  assert.deepEqual(
    statesOf(tested).slice(-4),
    ['guards ok', 'call ok', 'sound ok', 'hangup ok'],
    `${JSON.stringify(tested.steps)} ${worker.said}`,
  )
  assert.match(tested.steps.find(({ step }) => step === 'sound')?.says ?? '', /^our tone came back/)
  assert.deepEqual(await fixture.calls(), [], 'no call of an agent was opened')
  const { dials } = done(await client.get('/v1/org/dials'))
  assert.deepEqual(
    dials.map((row: { to: string; from: string; result: { outcome: string } }) => [
      row.to,
      row.from,
      row.result.outcome,
    ]),
    [[second, first, 'answered']],
  )
})
