import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { makeAuthority } from '../../testing/sip-certificates.ts'
import { SipTest } from '../../testing/sip-call.ts'
import { startDns, type TestDns } from '../../testing/sip-dns.ts'
import { never, trunkTo, until } from '../../testing/sip-peer.ts'
import { TlsFiles } from '../../testing/sip-tls.ts'

const run = new SipTest()
let files: TlsFiles
let dns: TestDns
before(async () => {
  files = await TlsFiles.make()
  dns = await startDns()
  for (const name of ['pbx.example', 'other.example']) dns.set(name, { A: ['127.0.0.1'] })
})
after(async () => {
  files.remove()
  await dns.close()
})
afterEach(() => run.stop())

const [to, from] = ['+34911222333', '+34600111222']

/** A far end over TLS, and one that dials it by a name. */
async function pair(isMutual = false) {
  const far = await run.answering({ tls: { port: 0, certificate: await files.certificate(isMutual) } })
  const near = await run.server({ nameServers: [dns.address] })
  const dial = (name: string, more: Record<string, string> = {}) => {
    const trunk = { ...trunkTo(0, 'tls'), hostname: `${name}:${far.server.tlsPort}` }
    const ca_certificates = files.authority.cert
    return near.server.invite(to, { ...trunk, ca_certificates, ...more }, from, never)
  }
  return { far, near, dial }
}

test('a connection that was checked for one name serves no other, nor who trusts somebody else', async () => {
  const { far, near, dial } = await pair()
  const call = await dial('pbx.example')
  assert.equal(near.server.stats.connections, 1)
  const again = await dial('pbx.example')
  assert.equal(near.server.stats.connections, 1, 'it is used again for its own name')
  await assert.rejects(dial('other.example'), {
    name: 'MediaError',
    message: /the certificate of other\.example does not match its name/,
  })
  const stranger = await makeAuthority('somebody else')
  await assert.rejects(dial('pbx.example', { ca_certificates: stranger.cert }), {
    message: /the certificate of pbx\.example is not signed by a CA that is trusted: add it to the account/,
  })
  const shown = await files.authority.sign(['phone.example'])
  const third = await dial('pbx.example', { client_certificate: shown.cert, client_key: shown.key })
  assert.equal(near.server.stats.connections, 2, 'another certificate of ours is another connection')
  assert.equal(far.calls.length, 3)
  await Promise.all([call.bye(), again.bye(), third.bye()])
  assert.equal(near.ports.size, 0)
})

test('a certificate that has expired is not trusted, and the dial says so', async () => {
  const { dial } = await pair()
  files.write(await files.authority.sign(['pbx.example'], new Date(Date.now() - 1_000)))
  await until(() => files.sentences.length > 0)
  await assert.rejects(dial('pbx.example'), { message: /the certificate of pbx\.example has expired/ })
  files.write(await files.authority.sign(['pbx.example', 'localhost', '127.0.0.1']))
})

test('a far end that asks for a certificate is shown that of the account, and the dial says at once if none fits', async () => {
  const { dial, far } = await pair(true)
  await assert.rejects(dial('pbx.example'), {
    message:
      /pbx\.example ended the TLS handshake: it may ask for a client certificate, which the account can have/,
  })
  const foreign = await (await makeAuthority('somebody else')).sign(['phone.example'])
  await assert.rejects(dial('pbx.example', { client_certificate: foreign.cert, client_key: foreign.key }), {
    status: 503,
    message: /pbx\.example .*client certificate of the account/,
  })
  await assert.rejects(dial('pbx.example', { client_certificate: 'x', client_key: 'y' }), {
    message: /the certificates of the account cannot be used: write them as PEM/,
  })
  const own = await files.authority.sign(['phone.example'])
  const call = await dial('pbx.example', { client_certificate: own.cert, client_key: own.key })
  await (await far.calls[0])?.bye()
  assert.equal(await call.ended, 'hangup')
})
