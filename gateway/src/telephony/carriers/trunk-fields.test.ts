import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { makeCertificates } from '../../../testing/certificates.ts'
import { refused } from '../../../testing/client.ts'
import { fleetKey, startDeployment } from '../../../testing/deployment.ts'
import { done } from '../../../testing/agents/test-agents.ts'

const deployment = await startDeployment({ SVC_DOMAIN: 'voice.example' })
const certificates = await makeCertificates()
after(async () => {
  await deployment[Symbol.asyncDispose]()
  await certificates[Symbol.asyncDispose]()
})
const client = await certificates.serverFor('client.example')
const other = await certificates.serverFor('other.example')

const peer = { username: 'acme', password: 'a password of the peer', addresses: ['8.8.8.8'] }
const terms = {
  encryption: 'required',
  from_domain: 'Voice.Example',
  refer_to: 'tel',
  identity: 'p_asserted_identity',
  number_form: 'national',
  country_code: '44',
  trunk_prefix: '0',
  international_prefix: '00',
}
const tls = {
  outbound_host: 'sip.peer.example',
  outbound_transport: 'tls',
  ca_certificates: `Our CA\n${certificates.caPem}`,
  client_certificate: client.cert,
  client_key: client.key,
}

async function newOrg() {
  const org = await deployment.newOrg()
  const { client: admin } = await org.person('admin')
  const trunk = () => deployment.gateway.services.outboundProvisioning.trunkOf(org.id, 'acme')
  return { org, admin, put: (body: object) => admin.put('/v1/carrier', body), trunk }
}
const lines = (pem: string) => pem.replaceAll(/\s/g, '')

test('a SIP account keeps how its calls come and go, and shows everything but the key', async () => {
  const { admin, put, trunk } = await newOrg()
  done(await put({ ...peer, ...terms, ...tls }))
  const answer = await admin.get('/v1/carrier')
  const { ca_certificates, client_certificate, ...shown } = done(answer).sip
  assert.deepEqual(shown, {
    ...terms,
    auth: 'digest',
    dial_extensions: [],
    register: false,
    registration: null,
    from_domain: 'voice.example',
    outbound_host: 'sip.peer.example',
    outbound_transport: 'tls',
  })
  assert.equal(ca_certificates.length, 1)
  assert.match(ca_certificates[0].subject, /Switchroom tests/)
  assert.match(client_certificate.subject, /client\.example/)
  assert.ok(client_certificate.expires_at > Date.now() / 1000)
  assert.equal(answer.text.includes('PRIVATE KEY'), false)
  const handed = await trunk()
  assert.deepEqual(
    [handed?.encryption, handed?.from_domain, handed?.refer_to],
    ['required', 'voice.example', 'tel'],
  )
  assert.deepEqual([handed?.number_form, handed?.country_code, handed?.trunk_prefix], ['national', '44', '0'])
  assert.equal(lines(handed?.ca_certificates ?? ''), lines(certificates.caPem))
  assert.deepEqual([handed?.client_key, handed?.identity], [client.key, 'p_asserted_identity'])

  done(await put({ username: 'acme', label: 'Main' }))
  assert.deepEqual(await trunk(), handed)
  const cleared = Object.fromEntries(
    [...Object.keys(terms), 'client_certificate', 'client_key'].map((name) => [name, null]),
  )
  done(await put({ username: 'acme', ...cleared, ca_certificates: null, password: peer.password }))
  assert.deepEqual(await trunk(), {
    hostname: 'sip.peer.example',
    transport: 'tls',
    auth_username: 'acme',
    auth_password: peer.password,
  })
})

test('the audit log says what of a trunk changed, and of its secrets only which', async () => {
  const { admin, put } = await newOrg()
  done(await put({ ...peer, ...tls }))
  const { text, body } = await admin.get('/v1/org/audit')
  assert.equal(text.includes('PRIVATE KEY'), false)
  const set = body.entries.find(({ action }: { action: string }) => action === 'carrier.set')
  assert.deepEqual(set.detail.secrets_replaced, ['password', 'client_key'])
})

test('what is no setting of a trunk is refused with what to send instead', async () => {
  const { put } = await newOrg()
  const wrong: [object, string][] = [
    [{ auth: 'none' }, 'auth: must be one of digest, ip'],
    [{ encryption: 'maybe' }, 'encryption: must be one of off, offered, required'],
    [{ refer_to: 'mail' }, 'refer_to: must be one of sip, tel'],
    [{ identity: 'rpid' }, 'identity: must be one of none, p_asserted_identity, diversion'],
    [{ number_form: 'roman' }, 'number_form: must be one of e164, plain, national'],
    [{ number_form: 'national' }, 'country_code: is required with number_form national, such as 44'],
    [
      { number_form: 'national', country_code: '+44' },
      'country_code: must be a country calling code, such as 44',
    ],
    [{ ...terms, trunk_prefix: 'x' }, 'trunk_prefix: must be 1 to 4 digits, such as 0'],
    [{ ...terms, international_prefix: '+' }, 'international_prefix: must be 1 to 5 digits, such as 00'],
    [{ country_code: '44' }, 'country_code: is used with number_form national alone'],
    [{ from_domain: 'a b' }, 'from_domain: must be a host name or an IPv4 address, without a port'],
    [
      { from_domain: 'a.example:5060' },
      'from_domain: must be a host name or an IPv4 address, without a port',
    ],
    [
      { ...tls, ca_certificates: 'x' },
      'ca_certificates: must be 1 to 20 certificates as PEM, of 64 KB at most',
    ],
    [
      { ...tls, ca_certificates: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----' },
      'ca_certificates: one of its certificates cannot be read',
    ],
    [
      { ...tls, client_key: undefined },
      'client_certificate is of no use without client_key: send both or neither',
    ],
    [
      { ...tls, client_certificate: undefined },
      'client_key is of no use without client_certificate: send both or neither',
    ],
    [{ ...tls, client_key: 'x' }, 'client_key: must be a private key as PEM, without a passphrase'],
    [
      { ...tls, client_key: other.key },
      'client_key: is not the key of client_certificate, the first one in it',
    ],
    [
      { ...tls, outbound_transport: 'tcp' },
      'ca_certificates: is used with outbound_transport tls alone: set that, or send null for it',
    ],
  ]
  for (const [more, sentence] of wrong) refused(await put({ ...peer, ...more }), 400, sentence)
  refused(await put({ ...peer, encryption: 7 }), 422, 'encryption: must be a string or null')
})

test('another CA for the same address asks for the password again', async () => {
  const { put } = await newOrg()
  done(await put({ ...peer, ...tls }))
  const change = { username: 'acme', ca_certificates: other.cert }
  refused(
    await put(change),
    400,
    'password: send it again: it was given for another address, port, transport or CA',
  )
  done(await put({ ...change, password: peer.password }))
})

test('a peer that proves its calls by its network needs no password, is not challenged, and is dialled without proof', async () => {
  const { org, admin, put, trunk } = await newOrg()
  const number = '+442079460018'
  const fleet = deployment.anonymous.as(fleetKey)
  const fences = async () => done(await fleet.get('/v1/worker/fences?env=sandbox')).fences
  const known = { username: peer.username, addresses: peer.addresses }
  refused(await put(known), 422, 'password: is required')
  done(await put({ ...known, auth: 'ip', outbound_host: 'sip.peer.example', ...terms }))
  assert.deepEqual(await trunk().then((one) => [one?.auth_username, one?.auth_password]), ['', ''])
  done(await admin.post('/v1/numbers', { number, agent: 'desk', account: 'acme' }))
  const { networks } = done(await deployment.operator.get('/v1/ops/networks'))
  const asked = networks.find((one: { org: string }) => one.org === org.id)
  done(await deployment.operator.post(`/v1/ops/networks/${asked.id}/approve`))
  const open = { networks: ['8.8.8.8'], numbers: [number], pair: null }
  const { name, fleet: _fleet, ...fence } = (await fences())[0]
  assert.equal(name, `${org.id}/sandbox/sip/acme`)
  const { identity: _identity, ...both } = { ...terms, from_domain: 'voice.example' }
  assert.deepEqual(fence, { ...open, ...both })

  refused(await put({ username: 'acme', auth: 'digest' }), 422, 'password: is required')
  done(await put({ username: 'acme', auth: 'digest', password: 'now there is one', encryption: null }))
  const { pair, encryption } = (await fences())[0]
  assert.deepEqual([pair, encryption], [{ username: 'acme', password: 'now there is one' }, undefined])
  done(await put({ username: 'acme', auth: 'ip', outbound_username: 'out', outbound_password: 'secret' }))
  assert.equal((await fences())[0].pair, null)
  assert.deepEqual(await trunk().then((one) => [one?.auth_username, one?.auth_password]), ['out', 'secret'])
})
