import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSettings } from './settings.ts'

const needed = { SVC_FLEET_KEY: 'svc_fleet_x' }

test('a voice server needs only the key it shares with the gateway (SD-01)', () => {
  const { connections: _, ...settings } = readSettings(needed)
  assert.deepEqual(settings, {
    host: '127.0.0.1',
    port: 8081,
    gatewayUrl: 'http://127.0.0.1:8080',
    fleetKey: 'svc_fleet_x',
    socketUrl: undefined,
    vendorFolders: [],
    speechTimeoutMs: 15_000,
    transcribeTimeoutMs: 120_000,
    metrics: { host: '127.0.0.1', port: 8084, ports: 1, isPortSet: false, setting: 'SVC_VOICE_METRICS_PORT' },
    logLevel: 'info',
  })
  assert.equal(readSettings({ ...needed, SVC_PORT: '9000' }).gatewayUrl, 'http://127.0.0.1:9000')
  assert.equal(
    readSettings({ ...needed, SVC_GATEWAY_URL: 'https://g.example/' }).gatewayUrl,
    'https://g.example',
  )
  for (const url of ['wss://live.example/', 'https://live.example'])
    assert.equal(readSettings({ ...needed, SVC_WS_URL: url }).socketUrl, 'wss://live.example')
})

test('a setting that does not parse is named in the sentence', () => {
  const table: [Record<string, string>, string][] = [
    [{ SVC_FLEET_KEY: ' ' }, 'SVC_FLEET_KEY is not set: give the voice server the one that the gateway has'],
    [{ SVC_VOICE_PORT: '70000' }, 'SVC_VOICE_PORT is not a port from 0 to 65535: 70000'],
    [{ SVC_GATEWAY_URL: 'ftp://x' }, 'SVC_GATEWAY_URL is not a URL that starts http:// or https://: ftp://x'],
    [{ SVC_WS_URL: 'speech.example' }, 'SVC_WS_URL is not a URL that starts wss:// or ws://: speech.example'],
    [{ SVC_SPEECH_TIMEOUT_S: '0' }, 'SVC_SPEECH_TIMEOUT_S is 0: it must be more'],
    [{ SVC_TRANSCRIBE_TIMEOUT_S: 'x' }, 'SVC_TRANSCRIBE_TIMEOUT_S is not a number of 0 or more: x'],
    [{ SVC_VENDOR_FOLDERS: '/nowhere' }, 'SVC_VENDOR_FOLDERS holds /nowhere, which is not a folder'],
    [{ SVC_MAX_CONNECTIONS: 'x' }, 'SVC_MAX_CONNECTIONS is not a whole number: x'],
    [
      { SVC_TRUSTED_PROXIES: '10.0.0.0/8, x' },
      'SVC_TRUSTED_PROXIES holds x, which is neither an address nor a network',
    ],
    [
      { SVC_LOG_LEVEL: 'loud' },
      'SVC_LOG_LEVEL is not one of fatal, error, warn, info, debug, trace, silent: loud',
    ],
  ]
  for (const [setting, message] of table)
    assert.throws(() => readSettings({ ...needed, ...setting }), { message })
})
