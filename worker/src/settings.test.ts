import assert from 'node:assert/strict'
import { availableParallelism, tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { SettingError } from '@switchroom/process/setting-reader'
import { readSettings } from './settings.ts'

const least = { SVC_FLEET_KEY: 'svc_fleet_x' }

test('a worker that is given its key alone serves both environments of the gateway on this machine', () => {
  const settings = readSettings({ ...least, SVC_SIP_PORT: '', SVC_SIP_LOCAL_ORG: ' ' })
  assert.deepEqual(settings, {
    gatewayUrl: 'http://127.0.0.1:8080',
    fleetKey: 'svc_fleet_x',
    environments: ['sandbox', 'production'],
    sipHost: '127.0.0.1',
    sipPort: undefined,
    sipTls: undefined,
    mediaAddress: '127.0.0.1',
    mediaAddress6: undefined,
    mediaPorts: { first: 20_000, last: 29_999 },
    localOrg: undefined,
    mediaServers: {},
    fleets: { production: 'production', sandbox: 'sandbox' },
    capacity: 20 * availableParallelism(),
    callsPerProcess: 5,
    idleTimeoutMs: 120_000,
    resolver: undefined,
    privateHosts: [],
    privateNetworks: [],
    vendorFolders: [],
    metrics: {
      host: '127.0.0.1',
      port: 8085,
      ports: 10,
      isPortSet: false,
      setting: 'SVC_WORKER_METRICS_PORT',
    },
    health: undefined,
    recordingFormat: 'wav',
    unsentRecordings: join(tmpdir(), `switchroom-unsent-recordings-${userInfo().uid}`),
    logLevel: 'info',
  })
})

test('what is set counts', () => {
  const settings = readSettings({
    ...least,
    SVC_GATEWAY_URL: 'https://calls.example/',
    SVC_WORKER_ENV: 'production',
    SVC_SIP_HOST: '0.0.0.0',
    SVC_SIP_PORT: '0',
    SVC_MEDIA_ADDRESS: '203.0.113.7',
    SVC_MEDIA_PORTS: '30000-30100',
    SVC_SIP_LOCAL_ORG: 'demo',
    SVC_WORKER_CALLS: '7',
    SVC_CALLS_PER_PROCESS: '1',
    SVC_CALL_IDLE_S: '30',
    SVC_PRIVATE_HOSTS: '10.0.0.5, trunk.internal',
    SVC_WORKER_HEALTH_PORT: '8095',
    SVC_HOST: '0.0.0.0',
  })
  assert.deepEqual(settings.health, { host: '0.0.0.0', port: 8095 })
  assert.equal(settings.gatewayUrl, 'https://calls.example')
  assert.deepEqual(settings.environments, ['production'])
  assert.deepEqual([settings.sipHost, settings.sipPort, settings.mediaAddress], ['0.0.0.0', 0, '203.0.113.7'])
  assert.deepEqual(settings.mediaPorts, { first: 30_000, last: 30_100 })
  assert.deepEqual([settings.localOrg, settings.capacity, settings.callsPerProcess], ['demo', 7, 1])
  assert.equal(settings.idleTimeoutMs, 30_000)
  assert.deepEqual(settings.privateHosts, ['10.0.0.5', 'trunk.internal'])
})

test('calls over TLS are taken if a certificate and its key are named, at port 5061 unless another is set', () => {
  const [cert, key] = [{ SVC_SIP_TLS_CERT_FILE: 'cert.pem' }, { SVC_SIP_TLS_KEY_FILE: 'key.pem' }]
  assert.deepEqual(readSettings({ ...least, ...cert, ...key }).sipTls, {
    port: 5061,
    files: { cert: 'cert.pem', key: 'key.pem' },
  })
  const mutual = { SVC_SIP_TLS_CA_FILE: 'ca.pem', SVC_SIP_TLS_PORT: '5071' }
  assert.deepEqual(readSettings({ ...least, ...cert, ...key, ...mutual }).sipTls, {
    port: 5071,
    files: { cert: 'cert.pem', key: 'key.pem', ca: 'ca.pem' },
  })
  for (const [given, absent] of [
    [cert, 'KEY'],
    [key, 'CERT'],
    [mutual, 'CERT'],
  ] as const)
    assert.throws(() => readSettings({ ...least, ...given }), {
      message: `SVC_SIP_TLS_${absent}_FILE is not set: calls over TLS need a certificate and its key`,
    })
})

test('the SIP port is on IPv6 if its host is, and names the address that far ends of IPv6 reach', () => {
  const both = readSettings({ ...least, SVC_SIP_HOST: '::', SVC_MEDIA_ADDRESS_6: '2001:db8::7' })
  assert.deepEqual([both.sipHost, both.mediaAddress, both.mediaAddress6], ['::', '127.0.0.1', '2001:db8::7'])
  assert.equal(readSettings({ ...least, SVC_SIP_HOST: '::' }).mediaAddress6, undefined)
  assert.equal(readSettings({ ...least, SVC_SIP_HOST: '2001:db8::5' }).mediaAddress6, '2001:db8::5')
  assert.equal(readSettings({ ...least, SVC_RESOLVER: '192.0.2.1' }).resolver, '192.0.2.1:53')
  assert.throws(() => readSettings({ ...least, SVC_MEDIA_ADDRESS_6: '192.0.2.1' }), {
    message: 'SVC_MEDIA_ADDRESS_6 is not an IPv6 address: 192.0.2.1',
  })
})

test("each environment's calls come from its own media server, and the sandbox shares production's", () => {
  const media = { SVC_MEDIA_URL: 'https://media.example/', SVC_MEDIA_KEY: 'k', SVC_MEDIA_SECRET: 's' }
  const production = { url: 'https://media.example', key: 'k', secret: 's' }
  const shared = readSettings({ ...least, ...media, SVC_FLEET: 'day', SVC_SANDBOX_FLEET: 'night' })
  assert.deepEqual(shared.mediaServers, { production, sandbox: production })
  assert.deepEqual(shared.fleets, { production: 'day', sandbox: 'night' })
  const own = { SVC_SANDBOX_MEDIA_URL: 'ws://x', SVC_SANDBOX_MEDIA_KEY: 'a', SVC_SANDBOX_MEDIA_SECRET: 'b' }
  assert.deepEqual(readSettings({ ...least, ...own }).mediaServers, {
    sandbox: { url: 'http://x', key: 'a', secret: 'b' },
  })
})

test('a setting that does not parse is one sentence that names it', () => {
  const table: [Record<string, string>, string][] = [
    [{ SVC_FLEET_KEY: '' }, 'SVC_FLEET_KEY is not set: give the worker the one that the gateway has'],
    [{ SVC_SIP_PORT: '70000' }, 'SVC_SIP_PORT is not a port from 0 to 65535: 70000'],
    [{ SVC_SIP_HOST: 'phones' }, 'SVC_SIP_HOST is not an IP address: phones'],
    [{ SVC_WORKER_ENV: 'both' }, 'SVC_WORKER_ENV is not one of sandbox, production: both'],
    [
      { SVC_MEDIA_PORTS: '20000' },
      'SVC_MEDIA_PORTS is not a range of ports from 1024 to 65535, as 20000-29999: 20000',
    ],
    [
      { SVC_MEDIA_URL: 'https://media.example' },
      'SVC_MEDIA_KEY and SVC_MEDIA_SECRET is not set: set SVC_MEDIA_URL, SVC_MEDIA_KEY, SVC_MEDIA_SECRET together, or none of them',
    ],
    [{ SVC_WORKER_CALLS: '0' }, 'SVC_WORKER_CALLS is not a whole number of 1 or more: 0'],
    [{ SVC_GATEWAY_URL: 'ws://x' }, 'SVC_GATEWAY_URL is not a URL that starts http:// or https://: ws://x'],
  ]
  for (const [wrong, message] of table)
    assert.throws(() => readSettings({ ...least, ...wrong }), new SettingError(message))
})
