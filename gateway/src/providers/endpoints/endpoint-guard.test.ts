import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { findVendors } from '@switchroom/kit/installed'
import { EndpointFake } from '@switchroom/kit/testing/endpoint-fake'
import { makeCertificates } from '../../../testing/certificates.ts'
import { refused } from '../../../testing/client.ts'
import { startDnsServer } from '../../../testing/dns-server.ts'
import { endpointKey, startEndpointDeployment } from '../../../testing/providers/endpoint-deployment.ts'

const certificates = await makeCertificates()
const dns = await startDnsServer()
const lifted = 'llm.corp.example'
const endpoints = await startEndpointDeployment({
  SVC_RESOLVER: dns.address,
  SVC_PRIVATE_HOSTS: lifted,
  SVC_CA_FILE: certificates.caFile,
})
after(async () => {
  await endpoints[Symbol.asyncDispose]()
  await dns[Symbol.asyncDispose]()
  await certificates[Symbol.asyncDispose]()
})
const { deployment, fake, wanted } = endpoints
const at = '/v1/model-endpoints'
const org = await deployment.newOrg()
const { client } = await org.person('manager')
const place = { org: org.id, env: 'sandbox' } as const
const { modelEndpoints } = deployment.gateway.services
dns.set(lifted, { A: ['127.0.0.1'] })
const atLifted = () => ({ base_url: `http://${lifted}:${fake.port}/v1` })

test('an endpoint at an address that is not public is refused before it is asked', async () => {
  dns.set('inside.example', { A: ['10.0.0.7'] })
  dns.set('mixed.example', { A: ['93.184.216.34'], AAAA: ['fd00::1'] })
  const refusals = {
    'https://inside.example': 'base_url: inside.example resolves to an address that is not public',
    'https://mixed.example': 'base_url: mixed.example resolves to an address that is not public',
    'https://nosuch.example': 'base_url: nosuch.example resolves to nothing',
    'https://127.0.0.1': 'base_url: 127.0.0.1 resolves to an address that is not public',
    'https://2130706433': 'base_url: 127.0.0.1 resolves to an address that is not public',
    'https://169.254.169.254/latest': 'base_url: 169.254.169.254 resolves to an address that is not public',
    'https://[::1]:8000': 'base_url: ::1 resolves to an address that is not public',
  }
  for (const [base_url, sentence] of Object.entries(refusals))
    refused(await client.post(at, wanted('mine', { base_url })), 400, sentence)
  assert.equal(fake.asked.length, 0)
})

test('a host that the operator lists may be private, and be asked over http', async () => {
  const made = await client.post(at, wanted('lifted', atLifted()))
  assert.equal(made.status, 201, made.text)
  assert.equal(fake.asked.at(-1)?.headers.host, `${lifted}:${fake.port}`)
})

test('a certificate of the deployment’s own root is trusted for the name of the host, and no other name', async () => {
  await using named = await EndpointFake.start({ key: endpointKey }, await certificates.serverFor(lifted))
  await using other = await EndpointFake.start(
    { key: endpointKey },
    await certificates.serverFor('other.example'),
  )
  const at443 = ({ port }: EndpointFake) => ({ base_url: `https://${lifted}:${port}/v1` })
  const [kept, refusal] = [
    await client.post(at, wanted('secure', at443(named))),
    await client.post(at, wanted('insecure', at443(other))),
  ]
  assert.equal(kept.status, 201, kept.text)
  refused(refusal, 502, /^the endpoint did not answer: Hostname\/IP does not match certificate's altnames/)
  assert.equal(other.asked.length, 0)
})

test('a call connects to the addresses that were checked when it began, whatever the name resolves to by then', async () => {
  const made = await client.post(at, wanted('moving', atLifted()))
  assert.equal(made.status, 201, made.text)
  const credentials = await modelEndpoints.credentialsOf(place, 'moving')
  dns.set(lifted, { A: ['127.0.0.2'] })
  const asked = dns.asked().length
  const model = await findVendors()
    .get('custom')
    ?.model({ model: 'moving', credentials: credentials ?? {} })
  const answer = model?.think({ messages: [{ role: 'user', text: 'Hi' }] }, AbortSignal.timeout(5_000))
  const [first] = await Array.fromAsync(answer ?? [])
  dns.set(lifted, { A: ['127.0.0.1'] })
  assert.equal(first?.type, 'text')
  assert.equal(dns.asked().length, asked)
})

test('an endpoint whose name leads inside since it was kept is not asked, and its call says why', async () => {
  await deployment.sql(
    `insert into model_endpoints (org, env, name, base_url, wire, model, created_at, changed_at, tried_at)
     values ($1, 'sandbox', 'rebound', 'https://rebound.example/v1', 'chat', 'm', now(), now(), now())`,
    [org.id],
  )
  dns.set('rebound.example', { A: ['127.0.0.1'] })
  refused(
    await client.post(`${at}/rebound/try`),
    400,
    'base_url: rebound.example resolves to an address that is not public',
  )
  const credentials = await modelEndpoints.credentialsOf(place, 'rebound')
  const vendor = findVendors().get('custom')
  await assert.rejects(
    async () => vendor?.model({ model: 'rebound', credentials: credentials ?? {} }),
    /^Error: rebound\.example resolves to an address that is not public$/,
  )
})

test('the key of an endpoint goes with its address and nothing else', async () => {
  const { api_key, endpoint, ...more } = (await modelEndpoints.credentialsOf(place, 'lifted')) ?? {}
  assert.deepEqual(more, {})
  assert.equal(api_key, endpointKey)
  assert.deepEqual(JSON.parse(String(endpoint)), {
    base_url: `http://${lifted}:${fake.port}/v1`,
    wire: 'chat',
    model: 'llama-3.3',
    azure_api_version: null,
    addresses: ['127.0.0.1'],
    ca: certificates.caPem,
  })
})
