import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, afterEach, before, test } from 'node:test'
import { missing } from '@switchroom/tools/debian-packages'
import { startBaresip } from '../../testing/baresip.ts'
import { SipTest } from '../../testing/sip-call.ts'
import { never, trunkTo, until } from '../../testing/sip-peer.ts'
import { TlsFiles } from '../../testing/sip-tls.ts'

const run = new SipTest()
let files: TlsFiles
before(async () => (files = await TlsFiles.make()))
after(() => files.remove())
afterEach(() => run.stop())

const skip = missing('baresip')
const [to, from] = ['+34911222333', '+34600111222']

/** What baresip shows, and whom it trusts. */
async function certificates(name: string): Promise<string[]> {
  const { cert, key } = await files.authority.sign([name])
  const path = join(files.folder, 'baresip.pem')
  writeFileSync(path, `${key}\n${cert}`)
  return [`sip_certificate ${path}`, `sip_cafile ${files.path('ca')}`]
}

test('baresip calls over TLS and shows its certificate, which the other end demands', { skip }, async (t) => {
  const certificate = await files.certificate(true)
  const { server, calls, sentences } = await run.answering({ tls: { port: 0, certificate } })
  const commands = [`/dial sip:${to}@127.0.0.1:${server.tlsPort};transport=tls`]
  const baresip = await startBaresip(t, '', { commands, settings: await certificates('127.0.0.1') })
  await until(() => calls.length === 1)
  const call = await calls[0]
  assert.equal(call?.terms.codec, 'PCMU')
  await call.bye()
  await until(() => /terminated|closed/i.test(baresip.said()))
  assert.deepEqual([server.stats.dialogs, sentences], [0, []])
})

test('baresip is dialled over TLS if it shows the certificate of its name', { skip }, async (t) => {
  const baresip = await startBaresip(t, '', { settings: await certificates('localhost') })
  const { server } = await run.server()
  const ca_certificates = files.authority.cert
  // Its port for TLS is the next one.
  const trunk = { ...trunkTo(0, 'tls'), hostname: `localhost:${baresip.port + 1}`, ca_certificates }
  const call = await server.invite('peer', trunk, from, never)
  assert.equal(call.terms.codec, 'PCMU')
  baresip.type('b')
  assert.equal(await call.ended, 'hangup')
  await assert.rejects(
    server.invite('peer', { ...trunk, hostname: `127.0.0.1:${baresip.port + 1}` }, from, never),
    {
      message: 'the certificate of 127.0.0.1 does not match its name',
    },
  )
})
