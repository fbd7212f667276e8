import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settingReader } from '@switchroom/process/setting-reader'
import { readIceSettings } from './ice-settings.ts'

const read = (variables: Record<string, string>) => readIceSettings(settingReader(variables))
const turn = { SVC_TURN_URLS: 'turns:t.example.com' }

test('servers for browsers are none unless they are named', () => {
  assert.deepEqual(read({}), { stunUrls: [], turn: undefined })
  assert.deepEqual(read({ ...turn, SVC_TURN_SECRET: 's' }).turn, {
    urls: ['turns:t.example.com'],
    login: { secret: 's' },
  })
})

const refusals: [string, Record<string, string>, string][] = [
  [
    'TURN without a sign-in',
    turn,
    'SVC_TURN_URLS has no sign-in: set SVC_TURN_SECRET, or SVC_TURN_USERNAME and SVC_TURN_PASSWORD',
  ],
  [
    'a sign-in for nothing',
    { SVC_TURN_SECRET: 's' },
    'SVC_TURN_URLS is not set: name the servers that the sign-in is for',
  ],
  [
    'two sign-ins',
    { ...turn, SVC_TURN_SECRET: 's', SVC_TURN_USERNAME: 'u', SVC_TURN_PASSWORD: 'p' },
    'SVC_TURN_SECRET and SVC_TURN_USERNAME are both set: set one of them',
  ],
  [
    'a web address',
    { SVC_STUN_URLS: 'https://stun.example.com' },
    'SVC_STUN_URLS is not a list of URLs such as stun:stun.example.com:3478: https://stun.example.com',
  ],
  [
    'a TURN server as STUN',
    { SVC_STUN_URLS: 'turn:t.example.com' },
    'SVC_STUN_URLS is not a list of URLs such as stun:stun.example.com:3478: turn:t.example.com',
  ],
]
for (const [what, variables, message] of refusals)
  test(`${what} is refused at the start`, () => assert.throws(() => read(variables), { message }))
