import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { done } from '@switchroom/gateway/testing/agents/test-agents'
import { SipPeer } from '@switchroom/media/testing/sip-peer'
import { runSipp } from '@switchroom/media/testing/sip-sipp'
import { missing } from '@switchroom/tools/debian-packages'
import { startVoiceAgent, typesOf } from './spoken-fixture.ts'

const skip = missing('sipp')
const near = { SVC_PRIVATE_NETWORKS: '127.0.0.0/8' }

test(
  'sipp as a PBX on a private network calls the agent at its extension, and its own extension is dialled by the agent',
  { skip },
  async () => {
    const fixture = await startVoiceAgent(
      { after },
      {},
      { gateway: { SVC_DOMAIN: 'voice.example', ...near }, worker: { SVC_SIP_LOCAL_ORG: '', ...near } },
    )
    const { deployment, org, worker } = fixture
    const { client } = await org.person('admin')
    const callee = await runSipp('extension-callee', ['-m', '1', '-timeout', '240s'])
    const peer = {
      username: 'peer',
      password: 'secret',
      addresses: ['127.0.0.1'],
      outbound_host: `127.0.0.1:${callee.port}`,
      dial_extensions: ['100-199'],
    }
    done(await client.put('/v1/carrier', peer))
    done(await client.post('/v1/numbers', { extension: '201', agent: 'hello' }))
    const { networks } = done(await deployment.operator.get('/v1/ops/networks'))
    for (const { id } of networks) done(await deployment.operator.post(`/v1/ops/networks/${id}/approve`))

    const insider = await SipPeer.open({ port: worker.sipPort })
    await insider.settle() // the worker knows the fence
    insider.close()
    const toWorker = `127.0.0.1:${worker.sipPort}`
    const caller = await runSipp('extension-caller', ['-s', '201', toWorker, '-m', '1', '-timeout', '120s'])
    const { id, from, to } = await fixture.nextCall()
    assert.deepEqual([from, to], ['105', '201@peer'])
    assert.deepEqual(await caller.done, { status: 0, said: '' })
    assert.equal((await fixture.untilEnded(id)).at(-1)?.data['reason'], 'hangup')

    const dialled = done(await client.post('/v1/agents/hello/dial', { extension: '105' }))
    assert.deepEqual([dialled.to, dialled.from], ['105@peer', '201@peer'])
    const entries = await fixture.untilEnded(dialled.call)
    assert.deepEqual(typesOf(entries).slice(0, 3), ['call.dialing', 'call.answered', 'call.started'])
    assert.equal(entries.at(-1)?.data['reason'], 'hangup')
    assert.deepEqual(await callee.done, { status: 0, said: '' })
  },
)
