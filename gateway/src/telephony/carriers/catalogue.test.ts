import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startDeployment } from '../../../testing/deployment.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { SettingError } from '@switchroom/process/setting-reader'
import { Catalogue } from './catalogue.ts'

const folder = await mkdtemp(join(tmpdir(), 'switchroom-catalogue-'))
after(() => rm(folder, { recursive: true }))
const file = join(folder, 'carriers.json')
const written = (document: unknown) =>
  writeFile(file, typeof document === 'string' ? document : JSON.stringify(document))

const guided = { kind: 'trunkco', name: 'Trunk Co', how: 'guided', networks: ['8.8.8.8', '127.0.0.0/8'] }
const automatic = { kind: 'apicarrier', name: 'Ours', how: 'automatic', networks: ['9.9.9.0/24'] }
const platform = { SVC_CARRIER_ACCOUNT_SID: 'AC1', SVC_CARRIER_USER: 'SK1', SVC_CARRIER_SECRET: 'a secret' }

test('without a file the catalogue holds the API carrier with the networks it publishes, and sells only with an account (N-118, N-119, N-121, ND-19)', async () => {
  await using deployment = await startDeployment()
  const { client } = await (await deployment.newOrg()).person('admin')
  const { carriers, sells, receives, ...more } = done(await client.get('/v1/carriers/catalog'))
  assert.deepEqual([sells, receives, more], [false, { sandbox: false, production: false }, {}])
  assert.deepEqual(
    carriers.map(({ kind, how, networks }: { kind: string; how: string; networks: string[] }) => [
      kind,
      how,
      networks,
    ]),
    [
      [
        'apicarrier',
        'automatic',
        [
          '54.172.60.0/30',
          '54.244.51.0/30',
          '54.171.127.192/30',
          '35.156.191.128/30',
          '54.65.63.192/30',
          '54.169.127.128/30',
          '54.252.254.64/30',
          '177.71.206.192/30',
        ],
      ],
    ],
  )
  assert.deepEqual(Object.keys(carriers[0]), ['kind', 'name', 'how', 'networks'])
})

test('the operator’s file is answered as it is, and its order decides the first (N-118, N-120, N-121, N-395, ND-19)', async () => {
  await written([guided, automatic])
  await using deployment = await startDeployment({ SVC_CARRIERS_FILE: file, ...platform })
  const { client } = await (await deployment.newOrg()).person('admin')
  assert.deepEqual(done(await client.get('/v1/carriers/catalog')), {
    carriers: [guided, automatic],
    sells: true,
    receives: { sandbox: false, production: false },
  })
  assert.equal(deployment.gateway.services.carrierCatalogue.first?.kind, 'trunkco')
  const { networks } = done(await deployment.operator.get('/v1/ops/firewall'))
  assert.deepEqual(networks, ['127.0.0.0/8', '8.8.8.8', '9.9.9.0/24'])
})

test('a file that is no catalogue ends the start with its name (ND-19)', async () => {
  const read = () =>
    new Catalogue({
      carriersFile: file,
      ownCarrier: undefined,
      sipNames: { sandbox: undefined, production: undefined },
    })
  const fault = (why: string) =>
    new SettingError(`the carriers of ${file} cannot be used: ${why}; SVC_CARRIERS_FILE names the file`)
  const faults: [unknown, string][] = [
    ['{', 'it is not JSON'],
    [{}, 'must be array'],
    [[{ ...guided, how: 'magic' }], '0.how must be equal to one of the allowed values'],
    [[{ kind: 'x' }], "0 must have required property 'name'"],
    [[guided, guided], 'trunkco is there twice'],
    [[{ ...guided, kind: 'sip' }], 'sip is no kind'],
    [[{ ...guided, kind: 'a/b' }], 'a/b is no kind'],
    [[{ ...guided, networks: [] }], 'trunkco has no network'],
    ...['0.0.0.0/0', '8.8.8.8/24', '::1', '8.8.8', '8.8.8.0/24/1', 'example.com'].map(
      (network): [unknown, string] => [
        [{ ...guided, networks: [network] }],
        `${network} of trunkco is not an IPv4 network`,
      ],
    ),
  ]
  for (const [document, why] of faults) {
    await written(document)
    assert.throws(read, fault(why))
  }
  await rm(file)
  assert.throws(read, fault('it cannot be read'))
  await assert.rejects(startDeployment({ SVC_CARRIERS_FILE: file }), fault('it cannot be read'))
})

test('an operator may admit no carrier at all (ND-19)', async () => {
  await written([])
  const catalogue = new Catalogue({
    carriersFile: file,
    ownCarrier: undefined,
    sipNames: { sandbox: undefined, production: undefined },
  })
  assert.deepEqual([catalogue.first, catalogue.networksOf('apicarrier')], [undefined, undefined])
})
