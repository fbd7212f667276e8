import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import { test } from 'node:test'
import {
  gatewayAddress,
  gatewayAddressFromHere,
  readSettings,
  voiceAddress,
  gatewayDefaults,
  voiceAddressTold,
  plainSettings,
} from './settings.ts'

test('without settings, or with empty ones, the launcher uses ./data, 127.0.0.1 and 8080 and makes the demo (ID-26)', () => {
  for (const environment of [{}, { SVC_DATA: '', SVC_HOST: '', SVC_PORT: '', SVC_DEMO: '' }]) {
    const settings = readSettings(environment)
    assert.equal(settings.dataFolder, resolve('data'))
    assert.equal(settings.recordings, resolve('data', 'recordings'))
    assert.equal(gatewayAddress(settings), 'http://127.0.0.1:8080')
    assert.equal(voiceAddress(settings), 'http://127.0.0.1:8081')
    assert.equal(settings.demo, true)
  }
})

test('recordings are kept where the operator says', () => {
  assert.equal(readSettings({ SVC_DATA: '/d', SVC_RECORDINGS: '/sound' }).recordings, '/sound')
  assert.equal(readSettings({ SVC_DATA: '/d' }).recordings, '/d/recordings')
})

test('SVC_DEMO takes 0, false, no and off in any case, and refuses other words with status 2 (ID-36)', () => {
  for (const word of ['0', 'FALSE', 'no', 'Off']) assert.equal(readSettings({ SVC_DEMO: word }).demo, false)
  assert.throws(() => readSettings({ SVC_DEMO: 'maybe' }), {
    message: /^SVC_DEMO must be on or off/,
    status: 2,
  })
})

test('a gateway that listens everywhere is reached on loopback', () => {
  assert.equal(gatewayAddressFromHere(readSettings({ SVC_HOST: '0.0.0.0' })), 'http://127.0.0.1:8080')
  assert.equal(gatewayAddressFromHere(readSettings({ SVC_HOST: '::' })), 'http://[::1]:8080')
})

test('clients get the address of the voice server, also of one that was moved, and none if it chooses its port itself', () => {
  assert.equal(voiceAddressTold(readSettings({})), 'http://127.0.0.1:8081')
  const moved = readSettings({ SVC_HOST: '0.0.0.0', SVC_VOICE_PORT: '9191' })
  assert.equal(voiceAddressTold(moved), 'http://127.0.0.1:9191')
  assert.equal(voiceAddressTold(readSettings({ SVC_VOICE_PORT: '0' })), undefined)
})

test('the voice server is started without the secrets of the gateway', () => {
  const kept = {
    SVC_SIP_TLS_KEY_FILE: 'key.pem',
    PATH: '/bin',
    SVC_HOST: '::1',
    SVC_VOICE_PORT: '9',
    SVC_VENDOR_FOLDERS: '/v',
    SVC_LOG_LEVEL: 'info',
  }
  const secrets = {
    SVC_VAULT_KEY: 'x',
    SVC_OPERATOR_KEY: 'x',
    SVC_SIGNUP_KEY: 'x',
    SVC_DATABASE_URL: 'x',
    SVC_SMTP_URL: 'x',
    SVC_REDIS_URL: 'x',
    SVC_PROVIDER_KEY_OPENAI: 'x',
  }
  assert.deepEqual(plainSettings({ ...kept, ...secrets }), kept)
})

test('the demo start has hooked numbers ring without the operator, and a start without the demo does not', () => {
  assert.equal(gatewayDefaults(readSettings({})).SVC_APPROVE_HOOKED, 'false')
  assert.equal('SVC_APPROVE_HOOKED' in gatewayDefaults(readSettings({ SVC_DEMO: '0' })), false)
})
