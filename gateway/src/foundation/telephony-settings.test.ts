import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSettings } from './settings.ts'

const needed = {
  SVC_VAULT_KEY: Buffer.alloc(32, 1).toString('base64'),
  SVC_DATABASE_URL: 'postgresql://somebody@db.example/switchroom',
}
const read = (wanted: Record<string, string>) => readSettings({ ...needed, ...wanted }).telephony
const refusedWith = (wanted: Record<string, string>, line: string) =>
  assert.throws(() => read(wanted), { message: line })

test('carriers send calls to the name of the environment, else to the platform’s (N-172, N-173, ND-27)', () => {
  const names = (wanted: Record<string, string>) => read({ SVC_DOMAIN: 'talk.example', ...wanted }).sipNames
  assert.deepEqual(names({}), { production: 'talk.example', sandbox: 'talk.example' })
  assert.deepEqual(names({ SVC_SIP_DOMAIN: 'sip.example', SVC_SANDBOX_SIP_DOMAIN: 'try.example' }), {
    production: 'sip.example',
    sandbox: 'try.example',
  })
  assert.deepEqual(names({ SVC_SIP_DOMAIN: 'sip.example' }), {
    production: 'sip.example',
    sandbox: 'talk.example',
  })
})

test('hooked numbers wait for the operator unless the setting is 0 or false (ND-09, T-53)', () => {
  assert.equal(read({}).approveHooked, true)
  for (const word of ['', '1', 'true', 'yes', 'whatever'])
    assert.equal(read({ SVC_APPROVE_HOOKED: word }).approveHooked, true)
  for (const word of ['0', 'false', 'FALSE'])
    assert.equal(read({ SVC_APPROVE_HOOKED: word }).approveHooked, false)
})

test('the carrier’s other addresses are its account address if only that is set (ND-09)', () => {
  assert.deepEqual(read({ SVC_APICARRIER_API: 'http://127.0.0.1:9' }).apiCarrier, {
    accountApi: 'http://127.0.0.1:9',
    trunkingApi: 'http://127.0.0.1:9',
    numbersApi: 'http://127.0.0.1:9',
    termination: 'pstn.twilio.com',
  })
  const own = {
    SVC_APICARRIER_TRUNKING_API: 'http://127.0.0.1:8',
    SVC_APICARRIER_NUMBERS_API: 'http://127.0.0.1:7',
    SVC_APICARRIER_TERMINATION: 'out.example',
  }
  assert.deepEqual(read(own).apiCarrier, {
    accountApi: 'https://api.twilio.com',
    trunkingApi: 'http://127.0.0.1:8',
    numbersApi: 'http://127.0.0.1:7',
    termination: 'out.example',
  })
})

test('an account or a media server that is half set stops the start, and its secret is not repeated (ND-09)', () => {
  const whole = { SVC_CARRIER_ACCOUNT_SID: 'AC1', SVC_CARRIER_USER: 'SK1', SVC_CARRIER_SECRET: 'hush' }
  assert.deepEqual(read(whole).ownCarrier, { account_sid: 'AC1', user: 'SK1', secret: 'hush' })
  refusedWith(
    { SVC_CARRIER_SECRET: 'hush' },
    'SVC_CARRIER_ACCOUNT_SID and SVC_CARRIER_USER is not set: set SVC_CARRIER_ACCOUNT_SID, SVC_CARRIER_USER, SVC_CARRIER_SECRET together, or none of them',
  )
  for (const prefix of ['SVC_MEDIA', 'SVC_SANDBOX_MEDIA']) {
    const [url, key, secret] = [`${prefix}_URL`, `${prefix}_KEY`, `${prefix}_SECRET`]
    refusedWith(
      { [url]: 'http://127.0.0.1:7880', [key]: 'k' },
      `${secret} is not set: set ${url}, ${key}, ${secret} together, or none of them`,
    )
  }
})

test('names, numbers and addresses of telephony that do not parse are one line each (ND-09)', () => {
  refusedWith(
    { SVC_VERIFY_FROM: '5550100' },
    'SVC_VERIFY_FROM is not a number in international form, as +15550100100: 5550100',
  )
  refusedWith({ SVC_MEDIA_ADDRESS: '10.0.0.1' }, 'SVC_MEDIA_ADDRESS is not a public IPv4 address: 10.0.0.1')
  refusedWith(
    { SVC_FLEET: 'a b' },
    'SVC_FLEET is not 1 to 63 letters, digits, dots, dashes and underscores: a b',
  )
})
