import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  amount,
  flag,
  fleetName,
  folder,
  hostName,
  ipv4Address,
  listOf,
  logLevel,
  network,
  oneOf,
  pemFile,
  port,
  positiveNumber,
  secondsAsMs,
  mediaUrl,
  webUrl,
  wholeNumber,
} from './setting-parsing.ts'
import { readAllOrNone, SettingError, settingReader } from './setting-reader.ts'

test('a setting is trimmed and parsed, and an empty one is unset', () => {
  const read = settingReader({ PORT: ' 8080 ', EMPTY: '  ' })
  assert.equal(read('PORT', port), 8080)
  assert.equal(read('EMPTY', port), undefined)
  assert.equal(read('UNSET', port), undefined)
})

test('every form reads what it is for', () => {
  const table: [unknown, unknown][] = [
    [wholeNumber('0'), 0],
    [positiveNumber('7'), 7],
    [amount('1.5'), 1.5],
    [secondsAsMs('0.5'), 500],
    [port('0'), 0],
    [flag('Yes'), true],
    [flag('off'), false],
    [oneOf(['pro', 'free'])('PRO'), 'pro'],
    [logLevel('Debug'), 'debug'],
    [hostName('Calls.Example'), 'calls.example'],
    [ipv4Address('127.0.0.1'), '127.0.0.1'],
    [network('10.0.0.0/8')[1], 8],
    [network('::1')[1], 128],
    [fleetName('day.1'), 'day.1'],
    [webUrl('https://calls.example/'), 'https://calls.example'],
    [mediaUrl('wss://acme.livekit.cloud/'), 'https://acme.livekit.cloud'],
    [mediaUrl('ws://127.0.0.1:7880'), 'http://127.0.0.1:7880'],
    [mediaUrl('https://media.example'), 'https://media.example'],
    [folder(import.meta.dirname), import.meta.dirname],
  ]
  for (const [parsed, expected] of table) assert.equal(parsed, expected)
  assert.deepEqual(listOf(wholeNumber)('1, 2,,3 '), [1, 2, 3])
})

test('a mistake is one sentence that names the setting', () => {
  const table: [(value: string) => unknown, string, string][] = [
    [wholeNumber, '-1', 'X is not a whole number: -1'],
    [positiveNumber, '0', 'X is not a whole number of 1 or more: 0'],
    [amount, 'x', 'X is not a number of 0 or more: x'],
    [secondsAsMs, '0', 'X is 0: it must be more'],
    [port, '70000', 'X is not a port from 0 to 65535: 70000'],
    [flag, 'maybe', 'X is neither true nor false: maybe'],
    [oneOf(['pro', 'free']), 'gold', 'X is not one of pro, free: gold'],
    [hostName, 'a b', 'X is not a host name: a b'],
    [ipv4Address, 'phones', 'X is not an IPv4 address: phones'],
    [network, 'x', 'X holds x, which is neither an address nor a network'],
    [fleetName, '-', 'X is not 1 to 63 letters, digits, dots, dashes and underscores: -'],
    [webUrl, 'ws://x', 'X is not a URL that starts http:// or https://: ws://x'],
    [mediaUrl, 'ftp://x', 'X is not a URL that starts https://, http://, wss:// or ws://: ftp://x'],
    [mediaUrl, 'wss://x?y=1', 'X is not a URL that starts http:// or https://: https://x?y=1'],
    [folder, '/nowhere', 'X holds /nowhere, which is not a folder'],
    [pemFile, '/nowhere', 'X is not a readable file of certificates in PEM: /nowhere'],
    [listOf(port), '1, x', 'X is not a port from 0 to 65535: x'],
  ]
  for (const [parse, value, message] of table)
    assert.throws(() => settingReader({ X: value })('X', parse), new SettingError(message))
})

test('settings that belong together are all set or none', () => {
  const readServer = (variables: Record<string, string>) =>
    readAllOrNone(settingReader(variables), { url: ['URL', webUrl], key: ['KEY', String] })
  assert.equal(readServer({}), undefined)
  assert.deepEqual(readServer({ URL: 'http://x', KEY: 'k' }), { url: 'http://x', key: 'k' })
  assert.throws(
    () => readServer({ URL: 'http://x' }),
    new SettingError('KEY is not set: set URL, KEY together, or none of them'),
  )
})
