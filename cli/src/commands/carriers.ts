import type {
  CarrierAccount,
  CarrierList,
  OutboundReadiness,
  ProvisionedOutbound,
  SipSettings,
} from '@switchroom/contract/carriers'
import { trunkPresets } from '@switchroom/contract/trunk-presets'
import { fileOption, type Command } from '../invocation/command.ts'
import type { Invocation } from '../invocation/invocation.ts'
import { exitCodes } from '../terminal/exit-codes.ts'
import { Failure } from '../terminal/failures.ts'
import { plain } from '../terminal/text-width.ts'
import { testTrunk } from './trunk-tests.ts'

const columns = [
  { title: 'account', isName: true, of: ({ account }: CarrierAccount) => account },
  { title: 'kind', of: ({ kind }: CarrierAccount) => kind },
  { title: 'label', of: ({ label }: CarrierAccount) => label },
  { title: 'outbound', of: ({ sip }: CarrierAccount) => (sip ? outboundOf(sip) : '') },
  {
    title: 'registration',
    of: ({ sip }: CarrierAccount) => (sip?.registration ? registrationOf(sip.registration) : ''),
  },
  { title: 'networks', of: ({ networks }: CarrierAccount) => networks.map(networkOf).join(' ') },
]

const outboundOf = ({ outbound_host, outbound_transport, encryption }: SipSettings) =>
  outbound_host === null
    ? ''
    : `${outbound_host} ${outbound_transport}${encryption === null || encryption === 'off' ? '' : ` srtp ${encryption}`}`

const registrationOf = ({ state, says }: NonNullable<SipSettings['registration']>) =>
  says === null ? state : `${state}: ${plain(says)}`

const networkOf = (network: CarrierAccount['networks'][number]) =>
  typeof network === 'string' ? network : `${network.network} (${network.state})`

const showAccounts = (invocation: Invocation, accounts: CarrierAccount[]) =>
  invocation.out.table(accounts, columns, 'No carrier accounts. Add one with svc carriers add.')

const list: Command = {
  name: 'carriers',
  summary: 'carrier accounts of the org',
  examples: ['svc carriers'],
  async run(invocation) {
    const client = await invocation.client()
    const answer = await client.get<CarrierList>('/v1/carriers')
    invocation.answer(answer, ({ carriers }) => showAccounts(invocation, carriers))
  },
}

const add: Command = {
  name: 'carriers add',
  summary: 'add a carrier account or replace its fields',
  details: 'Its fields are secrets: give them in a file or on standard input, as JSON for PUT /v1/carrier.',
  options: [fileOption('the account as JSON')],
  examples: ['svc carriers add --file account.json', 'secrets read carrier | svc carriers add --file -'],
  async run(invocation) {
    const client = await invocation.client()
    const answer = await client.put<CarrierAccount>(
      '/v1/carrier',
      await invocation.jsonOf(invocation.needed('file')),
    )
    invocation.answer(answer, (account) => showAccounts(invocation, [account]))
  },
}

const presetNames = trunkPresets.map(({ name }) => name).join(', ')

const preset: Command = {
  name: 'carriers preset',
  summary: 'print a SIP account to fill in, as JSON for svc carriers add',
  arguments: [{ name: 'name', summary: `one of ${presetNames}` }],
  examples: ['svc carriers preset telnyx > account.json'],
  async run(invocation) {
    const wanted = invocation.argument('name')
    const found = trunkPresets.find(({ name }) => name === wanted)
    if (!found)
      throw new Failure(exitCodes.refused, `there is no preset ${wanted}: name one of ${presetNames}`)
    const blank = { kind: 'sip', username: '', password: '', addresses: [] }
    invocation.out.line(JSON.stringify({ ...blank, ...found.fields }, null, 2))
  },
}

const remove: Command = {
  name: 'carriers remove',
  summary: 'delete a carrier account; its numbers stay routed until svc numbers release',
  arguments: [{ name: 'account', summary: 'its id' }],
  examples: ['svc carriers remove AC0123'],
  async run(invocation) {
    const client = await invocation.client()
    const account = invocation.argument('account')
    await client.delete('/v1/carrier', { account })
    if (!invocation.isJson) invocation.out.line(`Deleted ${account}.`)
  },
}

const outbound: Command = {
  name: 'carriers outbound',
  summary: 'show whether calls can be placed and what is missing',
  options: [
    { name: 'provision', summary: 'create the outbound trunk at the carrier' },
    { name: 'account', value: 'id', summary: 'with --provision: which account' },
    { name: 'dry-run', summary: 'with --provision: print the steps and change nothing' },
  ],
  examples: ['svc carriers outbound', 'svc carriers outbound --provision --dry-run'],
  async run(invocation) {
    const { out } = invocation
    const client = await invocation.client()
    if (!invocation.flag('provision')) {
      const answer = await client.get<OutboundReadiness>('/v1/carrier/outbound')
      return invocation.answer(answer, ({ ready, from_numbers, steps_missing }) => {
        out.line(
          ready ? `Calls can be placed from ${from_numbers.join(', ')}.` : 'Calls cannot be placed yet:',
        )
        for (const step of steps_missing) out.line(`- ${plain(step)}`)
      })
    }
    const query = { account: invocation.option('account'), dry_run: invocation.flag('dry-run') || undefined }
    const answer = await client.post<ProvisionedOutbound>('/v1/carrier/outbound', undefined, query)
    invocation.answer(answer, ({ steps, host }) => {
      for (const step of steps) out.line(plain(step))
      out.line(`Outbound calls use ${host}.`)
    })
  },
}

export const carrierCommands = [list, preset, add, testTrunk, remove, outbound]
