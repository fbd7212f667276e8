import assert from 'node:assert/strict'
import { test } from 'node:test'
import { atFence, wantedAdmission, type FenceFacts, type Placed } from './number-fences.ts'

const whose = { org: 'org_1', env: 'sandbox' } as const

const facts: FenceFacts = {
  networksOf: (kind) => ({ apicarrier: ['54.172.60.0/30'], guided: ['81.2.69.0/28'] })[kind],
  stateOf: (network) =>
    network.startsWith('8.8') ? 'approved' : network === '9.9.9.9' ? 'refused' : 'waiting',
  peerOf: (account) => ({ pair: { username: account, password: `of ${account}` } }),
}

const placed = (number: string, more: Partial<Placed> = {}): Placed => ({
  number,
  origin: 'imported',
  via: null,
  account: 'AC1',
  account_kind: 'apicarrier',
  networks: [],
  awaits_approval: false,
  ...more,
})
const peer = (number: string, account: string, ...networks: string[]) =>
  placed(number, { account, account_kind: 'sip', networks })
const hooked = (number: string, more: Partial<Placed> = {}) =>
  placed(number, { origin: 'hooked', account: null, account_kind: null, ...more })

const namesAndNumbers = (...numbers: Placed[]) =>
  wantedAdmission(whose, 'fleet', numbers, facts).fences.map((fence) => [fence.name, fence.numbers])

test('imported, bought and hooked numbers of one catalogue carrier share its fence (N-185, ND-31)', () => {
  const bought = placed('+15550000002', { origin: 'bought', account: null, account_kind: null })
  const admission = wantedAdmission(
    whose,
    'fleet',
    [
      placed('+15550000001'),
      bought,
      hooked('+15550000003', { via: 'apicarrier' }),
      placed('+15550000004', { origin: 'typed', account: null, account_kind: null, via: 'guided' }),
    ],
    facts,
  )
  assert.deepEqual(admission, {
    ...whose,
    fleet: 'fleet',
    fences: [
      {
        name: 'org_1/sandbox/apicarrier',
        networks: ['54.172.60.0/30'],
        numbers: ['+15550000001', '+15550000002', '+15550000003'],
      },
      { name: 'org_1/sandbox/guided', networks: ['81.2.69.0/28'], numbers: ['+15550000004'] },
    ],
  })
})

test('each SIP peer has a fence of its own with its pair and its approved networks alone (N-186, ND-31)', () => {
  const { fences } = wantedAdmission(
    whose,
    'fleet',
    [
      peer('+15550000001', 'one', '8.8.8.8', '7.7.7.7'),
      peer('+15550000002', 'two', '8.8.4.4'),
      peer('+15550000003', 'one', '8.8.8.8', '7.7.7.7'),
    ],
    facts,
  )
  assert.deepEqual(fences, [
    {
      name: 'org_1/sandbox/sip/one',
      networks: ['8.8.8.8'],
      numbers: ['+15550000001', '+15550000003'],
      pair: { username: 'one', password: 'of one' },
    },
    {
      name: 'org_1/sandbox/sip/two',
      networks: ['8.8.4.4'],
      numbers: ['+15550000002'],
      pair: { username: 'two', password: 'of two' },
    },
  ])
})

test('each number hooked from networks of its own has a fence of its own (N-187)', () => {
  assert.deepEqual(
    namesAndNumbers(
      hooked('+15550000001', { networks: ['8.8.8.8'] }),
      hooked('+15550000002', { networks: ['8.8.8.8'] }),
    ),
    [
      ['org_1/sandbox/own/+15550000001', ['+15550000001']],
      ['org_1/sandbox/own/+15550000002', ['+15550000002']],
    ],
  )
})

test('there is no fence without an approved network, nor for a number that awaits approval (T-36, ND-31, ND-32)', () => {
  assert.deepEqual(
    namesAndNumbers(
      peer('+15550000001', 'one', '7.7.7.7', '9.9.9.9'),
      hooked('+15550000002', { networks: ['7.7.7.7'] }),
      hooked('+15550000003', { via: 'apicarrier', awaits_approval: true }),
      hooked('+15550000004', { via: 'gone from the catalogue' }),
      placed('+15550000005', { account: 'gone', account_kind: null }),
    ),
    [],
  )
})

test('refused networks are listed with those that wait', () => {
  const at = atFence(whose, peer('+15550000001', 'one', '7.7.7.7', '8.8.8.8', '9.9.9.9'), facts)
  assert.deepEqual([at.networks, at.unapproved, at.isOpen], [['8.8.8.8'], ['7.7.7.7', '9.9.9.9'], true])
})
