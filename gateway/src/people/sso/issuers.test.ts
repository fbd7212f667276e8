import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import { after, beforeEach, test } from 'node:test'
import { refused } from '../../../testing/client.ts'
import { client } from '../../../testing/people/identity-provider.ts'
import { newDomain, startSsoDeployment } from '../../../testing/people/sso.ts'
import { PublicAddresses } from '../../foundation/public-addresses.ts'
import { discover } from './issuers.ts'

const deployment = await startSsoDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { hostile, dns } = deployment
const admin = (await (await deployment.newOrg()).person('admin')).client
const { port } = new URL(hostile.issuer)

const put = (issuer: string) => admin.put('/v1/org/sso', { issuer, ...client, domains: [newDomain()] })
const notPublic = "the issuer's name resolves to an address that is not public"
const silent = 'the issuer did not answer discovery'

beforeEach(() => {
  hostile.discovery = undefined
  hostile.document = {}
})

async function refusedUnreached(issuer: string, sentence: string) {
  const before = hostile.connections()
  refused(await put(issuer), 400, sentence)
  assert.equal(hostile.connections(), before, `${issuer} was reached`)
  assert.equal((await admin.get('/v1/org/sso')).body.configured, false)
}

test('an issuer that is not https never reaches the network (I-376, ID-140)', async () => {
  let connections = 0
  const listener = createServer(() => (connections += 1)).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const plain = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`
  for (const issuer of [
    plain,
    'http://hostile.example.test',
    'ftp://idp.example.test',
    'idp.example.test',
    '',
  ])
    await refusedUnreached(issuer, 'the issuer must be https')
  assert.equal(connections, 0)
  listener.close()
})

test('an issuer whose name resolves to nothing never reaches the network (I-377, ID-140)', async () => {
  await refusedUnreached('https://nobody.example.test', "the issuer's name resolves to nothing")
})

test('one address that is not public refuses them all, in every form of it (I-378, ID-141, ID-142, T-76)', async () => {
  dns.set('private.example.test', { A: ['127.0.0.1'] })
  dns.set('mixed.example.test', { A: ['8.8.8.8', '127.0.0.1'] })
  dns.set('mapped.example.test', { A: ['8.8.8.8'], AAAA: ['::ffff:10.0.0.1'] })
  dns.set('nat64.example.test', { A: ['8.8.8.8'], AAAA: ['64:ff9b::7f00:1'] })
  for (const host of [
    'private.example.test',
    'mixed.example.test',
    'mapped.example.test',
    'nat64.example.test',
    '127.0.0.1',
    '2130706433',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '169.254.169.254',
  ])
    await refusedUnreached(`https://${host}:${port}`, notPublic)
})

test('an issuer that does not answer discovery is 400 and nothing is kept (I-371, I-380, I-381, I-479, ID-140)', async () => {
  const { issuer } = hostile
  const json = { 'content-type': 'application/json' }
  const redirect = (response: ServerResponse) => {
    hostile.discovery = undefined // a client that follows the redirect finds the document
    response.writeHead(302, { location: `${issuer}/elsewhere` }).end()
  }
  const answers: NonNullable<typeof hostile.discovery>[] = [
    (response) => response.writeHead(404).end(),
    redirect,
    (response) => response.writeHead(200, json).end('not json'),
    (response) => response.writeHead(200, json).end('null'),
    (response) => response.destroy(),
  ]
  for (const answer of answers) {
    hostile.discovery = answer
    refused(await put(issuer), 400, silent)
  }
  assert.equal((await admin.get('/v1/org/sso')).body.configured, false)
})

test('a document of another issuer, one that leads nowhere, or one too large is no answer (ID-140, ID-141)', async () => {
  for (const document of [
    { issuer: 'https://idp.example.test' },
    { issuer: `${hostile.issuer}//` },
    { issuer: undefined },
    { authorization_endpoint: undefined },
    { authorization_endpoint: 'http://hostile.example.test/authorize' },
    { authorization_endpoint: 'javascript:alert(1)' },
    { token_endpoint: undefined },
    { jwks_uri: undefined },
    { filler: 'x'.repeat(256 * 1024) },
  ]) {
    hostile.document = document
    refused(await put(hostile.issuer), 400, silent)
  }
})

test('an issuer that does not answer within the time is refused (ID-140)', async () => {
  hostile.discovery = () => {}
  const impatient = new PublicAddresses(deployment.settings, { bodyBytes: 1024, timeMs: 100 })
  await assert.rejects(discover(impatient, hostile.issuer), { status: 400, message: silent })
})

test('one trailing slash aside, the issuer is its document (ID-140)', async () => {
  const read = async (issuer: string) => {
    const answer = await put(issuer)
    assert.equal(answer.status, 200, answer.text)
    return answer.body.issuer
  }
  assert.equal(await read(`${hostile.issuer}/`), `${hostile.issuer}/`)
  hostile.document = { issuer: `${hostile.issuer}/` }
  assert.equal(await read(hostile.issuer), hostile.issuer)
  assert.ok(hostile.asked().every((path) => path === 'GET /.well-known/openid-configuration'))
})
