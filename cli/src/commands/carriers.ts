import type {
  CarrierAccount,
  CarrierList,
  OutboundReadiness,
  ProvisionedOutbound,
} from '@switchroom/contract/carriers'
import { fileOption, type Command } from '../invocation/command.ts'
import type { Invocation } from '../invocation/invocation.ts'
import { plain } from '../terminal/text-width.ts'

const columns = [
  { title: 'account', isName: true, of: ({ account }: CarrierAccount) => account },
  { title: 'kind', of: ({ kind }: CarrierAccount) => kind },
  { title: 'label', of: ({ label }: CarrierAccount) => label },
  { title: 'networks', of: ({ networks }: CarrierAccount) => networks.map(networkOf).join(' ') },
]

const networkOf = (network: CarrierAccount['networks'][number]) =>
  typeof network === 'string' ? network : `${network.network} (${network.state})`

const showAccounts = (invocation: Invocation, accounts: CarrierAccount[]) =>
  invocation.out.table(accounts, columns, 'There is no account: svc carriers add adds one.')

const list: Command = {
  name: 'carriers',
  summary: "the org's accounts at carriers",
  examples: ['svc carriers'],
  async run(invocation) {
    const client = await invocation.client()
    const answer = await client.get<CarrierList>('/v1/carriers')
    invocation.answer(answer, ({ carriers }) => showAccounts(invocation, carriers))
  },
}

const add: Command = {
  name: 'carriers add',
  summary: 'add an account at a carrier, or replace the fields of one',
  details: 'Its fields are secrets and come from a file or standard input, as PUT /v1/carrier takes them.',
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

const remove: Command = {
  name: 'carriers remove',
  summary: 'forget an account; its numbers stay routed until each is let go',
  arguments: [{ name: 'account', summary: 'its id' }],
  examples: ['svc carriers remove AC0123'],
  async run(invocation) {
    const client = await invocation.client()
    const account = invocation.argument('account')
    await client.delete('/v1/carrier', { account })
    if (!invocation.isJson) invocation.out.line(`${account} is forgotten.`)
  },
}

const outbound: Command = {
  name: 'carriers outbound',
  summary: 'whether calls can be placed, and what is missing',
  options: [
    { name: 'provision', summary: 'make at the carrier what calls go out through' },
    { name: 'account', value: 'id', summary: 'with --provision: which account' },
    { name: 'dry-run', summary: 'with --provision: tell the steps and write nothing' },
  ],
  examples: ['svc carriers outbound', 'svc carriers outbound --provision --dry-run'],
  async run(invocation) {
    const { out } = invocation
    const client = await invocation.client()
    if (!invocation.flag('provision')) {
      const answer = await client.get<OutboundReadiness>('/v1/carrier/outbound')
      return invocation.answer(answer, ({ ready, from_numbers, steps_missing }) => {
        out.line(
          ready ? `Calls can be placed from ${from_numbers.join(', ')}.` : 'No call can be placed yet:',
        )
        for (const step of steps_missing) out.line(`- ${plain(step)}`)
      })
    }
    const query = { account: invocation.option('account'), dry_run: invocation.flag('dry-run') || undefined }
    const answer = await client.post<ProvisionedOutbound>('/v1/carrier/outbound', undefined, query)
    invocation.answer(answer, ({ steps, host }) => {
      for (const step of steps) out.line(plain(step))
      out.line(`Calls go out through ${host}.`)
    })
  },
}

export const carrierCommands = [list, add, remove, outbound]
