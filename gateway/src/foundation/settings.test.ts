import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { readSettings } from './settings.ts'
import type { TelephonySettings } from './telephony-settings.ts'

const good = {
  SVC_VAULT_KEY: Buffer.alloc(32, 1).toString('base64'),
  SVC_DATABASE_URL: 'postgresql://somebody:secret@db.example/switchroom',
}

const read = (wanted: Record<string, string | undefined>) => readSettings({ ...good, ...wanted })
const refusedWith = (wanted: Record<string, string | undefined>, line: string | RegExp) =>
  assert.throws(() => read(wanted), { message: line })

const unsetTelephony: TelephonySettings = {
  sipNames: { production: undefined, sandbox: undefined },
  approveHooked: true,
  numbersQuota: 5,
  verifyFrom: undefined,
  verifyTexts: { areSent: true, perNumber: 5, perOrg: 50, perDay: 500, countries: undefined },
  privateNetworks: [],
  carriersFile: undefined,
  apiCarrier: {
    accountApi: 'https://api.twilio.com',
    trunkingApi: 'https://trunking.twilio.com',
    numbersApi: 'https://numbers.twilio.com',
    termination: 'pstn.twilio.com',
  },
  messagingApi: 'https://graph.facebook.com/v26.0',
  ownCarrier: undefined,
  mediaServer: undefined,
  sandboxMediaServer: undefined,
  mediaAddress: undefined,
  fleets: { production: 'production', sandbox: 'sandbox' },
  firewallFile: undefined,
  ice: { stunUrls: [], turn: undefined },
}

test('every deployment setting starts SVC_ and the defaults are those of the settings page (I-001, ID-26)', () => {
  const { vaultKey, telephony, ...rest } = read({})
  assert.deepEqual(telephony, unsetTelephony)
  assert.equal(vaultKey.length, 32)
  assert.deepEqual(rest, {
    olderVaultKey: undefined,
    databaseUrl: good.SVC_DATABASE_URL,
    databaseDirectUrl: undefined,
    redisUrl: undefined,
    databasePools: { requests: 11, writing: 4, slow: 5 },
    operatorKey: undefined,
    fleetKey: undefined,
    host: '127.0.0.1',
    port: 8080,
    domain: undefined,
    baseUrl: 'http://127.0.0.1:8080',
    voiceUrl: undefined,
    voiceSocketUrl: undefined,
    dashboardPort: 8082,
    dashboardUrl: 'http://127.0.0.1:8082',
    trustedProxies: [],
    minPassword: 8,
    signup: false,
    signupKey: undefined,
    smtpUrl: undefined,
    mailFrom: undefined,
    privateHosts: [],
    resolver: undefined,
    caPem: undefined,
    vendorFolders: [],
    providersFile: fileURLToPath(new URL('../../providers.json', import.meta.url)),
    providerKeys: new Map(),
    ratesFile: fileURLToPath(new URL('../../rates.json', import.meta.url)),
    sampleTimeoutMs: 10_000,
    trialTimeoutMs: 10_000,
    toolTimeoutMs: 30_000,
    chatIdleMs: 1_800_000,
    vendorWindowMs: 120_000,
    voiceRates: { speech: 120, voices: 120, transcriptions: 60, streams: 60 },
    maxStreams: 20,
    newOrgPlan: 'pro',
    newOrgCredits: 1000,
    messaging: { appSecret: undefined, verifyToken: undefined, accessToken: undefined },
    logLevel: 'info',
    recordingsFolder: undefined,
    s3: undefined,
    consoleFolder: undefined,
    limits: {
      signInTriesPerAddress: 30,
      passwordQueue: 100,
      slowRequestsPerOrg: 3,
      lettersPerOrg: 500,
      lettersPerRecipient: 10,
      connections: {
        headersTimeoutMs: 10_000,
        requestTimeoutMs: 600_000,
        bodyStallMs: 10_000,
        mostConnections: 10_000,
        mostConnectionsPerAddress: 1000,
      },
      metricsHost: '127.0.0.1',
      metricsPort: 8083,
      isMetricsPortSet: false,
    },
    lives: {},
    auditKeptMs: 730 * 24 * 60 * 60 * 1000,
  })
})

test('a vault key is 32 bytes of base64, base64url or hex, and nothing else (ID-28)', () => {
  const key = Buffer.from('fb'.repeat(32), 'hex')
  for (const form of ['base64', 'base64url', 'hex'] as const)
    assert.deepEqual(read({ SVC_VAULT_KEY: key.toString(form) }).vaultKey, key)
  refusedWith({ SVC_VAULT_KEY: undefined }, 'SVC_VAULT_KEY is not set: a gateway does not start without it')
  refusedWith({ SVC_VAULT_KEY: '  ' }, 'SVC_VAULT_KEY is not set: a gateway does not start without it')
  for (const wrong of [
    'short',
    key.toString('hex').slice(2),
    `${key.toString('base64')}AAAA`,
    '!'.repeat(44),
  ])
    refusedWith({ SVC_VAULT_KEY: wrong }, 'SVC_VAULT_KEY is not 32 bytes of base64 or hex')
})

test('while the vault key is changed there are two, the new one before the old one', () => {
  const [key, older] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
  for (const between of [',', ', ', ' ', '\n'])
    assert.deepEqual(
      [key, older],
      Object.values(pick(read({ SVC_VAULT_KEY: key.toString('base64') + between + older.toString('hex') }))),
    )
  const three = [key, older, key].map((each) => each.toString('base64')).join()
  refusedWith(
    { SVC_VAULT_KEY: three },
    'SVC_VAULT_KEY is one key, or two while it is changed: the new one, then the old one',
  )
})
const pick = ({ vaultKey, olderVaultKey }: ReturnType<typeof read>) => ({ vaultKey, olderVaultKey })

test('the base of links is the base setting, else the domain, else this machine (ID-42)', () => {
  assert.equal(read({ SVC_BASE_URL: 'https://app.example/' }).baseUrl, 'https://app.example')
  assert.equal(read({ SVC_DOMAIN: 'Voice.Example' }).baseUrl, 'https://voice.example')
  assert.equal(read({ SVC_PORT: '9000' }).baseUrl, 'http://127.0.0.1:9000')
})

test('the dashboard has an address of its own, and is at its port until another is named (SD-01)', () => {
  assert.equal(read({ SVC_DASHBOARD_PORT: '9002' }).dashboardUrl, 'http://127.0.0.1:9002')
  const { dashboardPort, dashboardUrl } = read({ SVC_DASHBOARD_URL: 'https://dash.example/' })
  assert.deepEqual([dashboardPort, dashboardUrl], [8082, 'https://dash.example'])
})

test('what a new org gets, and the file of rates, are settings (SD-65, SD-66)', () => {
  const { newOrgPlan, newOrgCredits, ratesFile } = read({
    SVC_NEW_ORG_PLAN: 'Free',
    SVC_NEW_ORG_CREDITS: '0.5',
    SVC_RATES: '/etc/switchroom/rates.json',
  })
  assert.deepEqual([newOrgPlan, newOrgCredits, ratesFile], ['free', 0.5, '/etc/switchroom/rates.json'])
})

test("the platform's keys are settings by vendor, blank ones unset, and private vendors are in folders that are there (SD-46, SD-47, SD-48)", () => {
  const { providerKeys, providersFile, vendorFolders } = read({
    SVC_PROVIDER_KEY_ACME: ' sk-1 ',
    SVC_PROVIDER_KEY_TWO_WORDS: 'sk-2',
    SVC_PROVIDER_KEY_BLANK: '  ',
    SVC_PROVIDERS: '/etc/switchroom/providers.json',
    SVC_VENDOR_FOLDERS: ` ${import.meta.dirname} ,`,
  })
  assert.deepEqual(Object.fromEntries(providerKeys), { acme: 'sk-1', two_words: 'sk-2' })
  assert.equal(providersFile, '/etc/switchroom/providers.json')
  assert.deepEqual(vendorFolders, [import.meta.dirname])
  for (const path of ['/no/such/folder', import.meta.filename])
    refusedWith({ SVC_VENDOR_FOLDERS: path }, `SVC_VENDOR_FOLDERS holds ${path}, which is not a folder`)
})

test('SVC_SIGNUP reads eight words in any case, and an empty value is unset (ID-26)', () => {
  for (const word of ['1', 'true', 'YES', 'On']) assert.equal(read({ SVC_SIGNUP: word }).signup, true)
  for (const word of ['0', 'False', 'no', 'OFF', '']) assert.equal(read({ SVC_SIGNUP: word }).signup, false)
  refusedWith({ SVC_SIGNUP: 'maybe' }, 'SVC_SIGNUP is neither true nor false: maybe')
})

test('a value that does not parse is one line that names its setting (ID-26)', () => {
  refusedWith({ SVC_PORT: '70000' }, 'SVC_PORT is not a port from 0 to 65535: 70000')
  refusedWith({ SVC_MIN_PASSWORD: '-1' }, 'SVC_MIN_PASSWORD is not a whole number: -1')
  refusedWith({ SVC_DOMAIN: 'https://x' }, 'SVC_DOMAIN is not a host name: https://x')
  refusedWith(
    { SVC_BASE_URL: 'ftp://x' },
    'SVC_BASE_URL is not a URL that starts http:// or https://: ftp://x',
  )
  refusedWith({ SVC_SMTP_URL: 'http://x' }, 'SVC_SMTP_URL is not smtp:// or smtps:// with a host')
  refusedWith({ SVC_MAIL_FROM: 'nobody' }, 'SVC_MAIL_FROM is neither an address nor a name with one: nobody')
  refusedWith({ SVC_RESOLVER: 'dns.example' }, 'SVC_RESOLVER is not the address of a DNS server: dns.example')
  refusedWith(
    { SVC_CA_FILE: '/no/such' },
    'SVC_CA_FILE is not a readable file of certificates in PEM: /no/such',
  )
  refusedWith({ SVC_DASHBOARD_PORT: 'many' }, 'SVC_DASHBOARD_PORT is not a port from 0 to 65535: many')
  refusedWith({ SVC_NEW_ORG_PLAN: 'gold' }, 'SVC_NEW_ORG_PLAN is not one of free, pro, enterprise: gold')
  for (const credits of ['-1', 'many', '1e3', 'NaN'])
    refusedWith(
      { SVC_NEW_ORG_CREDITS: credits },
      `SVC_NEW_ORG_CREDITS is not a number of 0 or more: ${credits}`,
    )
  refusedWith({ SVC_LOG_LEVEL: 'loud' }, /^SVC_LOG_LEVEL is not one of fatal, error/)
  refusedWith(
    { SVC_TRUSTED_PROXIES: '10.0.0.0/8, proxy' },
    'SVC_TRUSTED_PROXIES holds proxy, which is neither an address nor a network',
  )
  refusedWith({ SVC_DATABASE_URL: undefined }, /^SVC_DATABASE_URL is not set/)
})

test('the refusal of a database address does not repeat its password (ID-26, T-91)', () => {
  refusedWith(
    { SVC_DATABASE_URL: 'mysql://a:hunter2@db' },
    'SVC_DATABASE_URL is not a URL that starts postgresql://',
  )
})

test('Redis is named by a URL whose refusal does not repeat its password', () => {
  assert.equal(read({}).redisUrl, undefined)
  assert.equal(read({ SVC_REDIS_URL: 'rediss://a:b%25@cache:6380' }).redisUrl?.port, '6380')
  for (const url of ['http://a:hunter2@cache', 'cache:6379', 'redis://'])
    refusedWith({ SVC_REDIS_URL: url }, 'SVC_REDIS_URL is not redis:// or rediss:// with a host')
  refusedWith(
    { SVC_REDIS_URL: 'redis://a:hunter%zz@cache' },
    'SVC_REDIS_URL has a name or a password with a % that begins no escape: write it as %25',
  )
})

test('the connections of a gateway are divided between three kinds of work, and what does not fit is refused', () => {
  const pools = (wanted: Record<string, string>) => read(wanted).databasePools
  assert.deepEqual(pools({ SVC_DATABASE_POOL: '50' }), { requests: 41, writing: 4, slow: 5 })
  const parts = { SVC_DATABASE_POOL_WRITING: '1', SVC_DATABASE_POOL_SLOW: '1' }
  assert.deepEqual(pools({ SVC_DATABASE_POOL: '6', ...parts }), { requests: 4, writing: 1, slow: 1 })
  refusedWith(
    { SVC_DATABASE_POOL: '12' },
    'SVC_DATABASE_POOL must be 13 or more (got 12): writing has 4 of it, slow reads have 5, and requests need 4',
  )
  refusedWith({ SVC_DATABASE_POOL: '1001' }, 'SVC_DATABASE_POOL is at most 1000 (got 1001)')
  for (const name of [
    'SVC_DATABASE_POOL',
    'SVC_DATABASE_POOL_WRITING',
    'SVC_DATABASE_POOL_SLOW',
    'SVC_SLOW_REQUESTS_PER_ORG',
  ])
    for (const size of ['0', '-1', 'many', '1.5'])
      refusedWith({ [name]: size }, `${name} is not a whole number of 1 or more: ${size}`)
})

test('a DNS server is an address with or without a port, and hosts are separated by commas (ID-26)', () => {
  assert.equal(read({ SVC_RESOLVER: '192.0.2.1' }).resolver, '192.0.2.1:53')
  assert.equal(read({ SVC_RESOLVER: '[2001:db8::1]:5353' }).resolver, '[2001:db8::1]:5353')
  assert.deepEqual(read({ SVC_PRIVATE_HOSTS: 'idp.corp, 10.0.0.1' }).privateHosts, ['idp.corp', '10.0.0.1'])
})
