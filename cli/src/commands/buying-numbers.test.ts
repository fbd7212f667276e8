import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { newLine, NumberFixture } from '@switchroom/gateway/testing/telephony/number-fixture'
import { Machine } from '../../testing/terminal.ts'

const fixture = await NumberFixture.start()
const org = await fixture.newOrg()
const { key } = await org.org.person('admin')
const machine = new Machine({ SVC_GATEWAY_URL: fixture.deployment.url, SVC_KEY: key })
after(async () => {
  machine[Symbol.dispose]()
  await fixture[Symbol.asyncDispose]()
})
const { carrier, own } = fixture
const run = (...args: string[]) => machine.run(['numbers', ...args])

test('a number is searched, chosen and bought with the address and bundle that its country needs, then given back', async () => {
  const [first, chosen] = [newLine(), newLine()]
  carrier.forSale.set('DE', [first, chosen])
  for (const number of [first, chosen])
    carrier.terms.set(number, { type: 'mobile', address: 'local', locality: 'Berlin', region: 'BE' })
  carrier.regulated.add('DE mobile')
  const address = own.addAddress('DE', 'Head office')
  const bundle = own.addBundle('DE', 'mobile', 'twilio-approved', 'Papers')
  const kind = ['--country', 'de', '--type', 'mobile']

  const found = await run('search', ...kind)
  assert.equal(found.stdout, `${first}\tBerlin, BE\tlocal\n${chosen}\tBerlin, BE\tlocal\n`)
  assert.equal((await run('search', ...kind, '--limit', '1')).stdout, `${first}\tBerlin, BE\tlocal\n`)
  const none = await run('search', ...kind, '--address', 'none')
  assert.deepEqual(
    [none.stdout, none.stderr],
    ['', 'No such number is for sale: try another type or area code.\n'],
  )
  const listed = await run('requirements', ...kind)
  assert.deepEqual(
    [listed.stdout, listed.stderr],
    [
      `--address\t${address.sid}\tHead office\tBerlin, DE\n--bundle\t${bundle.sid}\tPapers\ttwilio-approved\n`,
      'A purchase of a mobile number in DE needs an approved bundle.\n',
    ],
  )
  const papers = ['--address', address.sid, '--bundle', bundle.sid]
  const dry = await run('buy', chosen, ...kind, ...papers, '--agent', 'desk', '--dry-run')
  assert.deepEqual([dry.status, own.numbers.length], [0, 0], dry.stderr)
  const bought = await run('buy', chosen, ...kind, ...papers, '--agent', 'desk')
  assert.equal(bought.status, 0, bought.stderr)
  assert.equal(bought.stderr, `${chosen} is routed to desk in the sandbox environment.\n`)
  assert.deepEqual(
    own.numbers.map(({ phone_number, address_sid, bundle_sid }) => [phone_number, address_sid, bundle_sid]),
    [[chosen, address.sid, bundle.sid]],
  )

  const released = await run('release', chosen, '--at-carrier')
  assert.equal(released.stdout, `Removed ${chosen}. It was given back to the carrier.\n`)
  assert.deepEqual([own.numbers, await org.list()], [[], []])
})

test('a purchase that the carrier refuses prints its code and page, and what is missing on the command line', async () => {
  const number = newLine()
  carrier.forSale.set('FR', [number])
  carrier.regulated.add('FR local')
  const refused = await run('buy', '--country', 'FR', '--agent', 'desk')
  assert.deepEqual(
    [refused.status, refused.stderr],
    [
      1,
      'svc: the carrier says: Bundle required and not provided (code 21649, see https://www.twilio.com/docs/errors/21649): send as bundle one that GET /v1/numbers/requirements lists as approved for local numbers in FR\n',
    ],
  )
  assert.equal((await run('buy', '--agent', 'desk')).stderr, 'svc: --country is missing\n')
  const empty = await run('requirements', '--country', 'US')
  assert.deepEqual([empty.status, empty.stdout.includes('--bundle')], [0, false])
})
