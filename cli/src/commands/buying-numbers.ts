import type { BuyingRequirements, ImportedNumber, NumbersForSale } from '@switchroom/contract/numbers'
import { numberTypes } from '../invocation/closed-sets.ts'
import type { Command, Option } from '../invocation/command.ts'
import type { Invocation } from '../invocation/invocation.ts'
import { agentNeeded, channel, dry, dryRun, numberArgument, tellSteps } from './number-options.ts'

const kind: Option[] = [
  { name: 'country', value: 'letters', summary: 'two letters (required)' },
  { name: 'type', value: 'type', choices: numberTypes, summary: 'type of the number (default local)' },
]
const searched: Option[] = [
  { name: 'area-code', value: 'digits', summary: '1 to 6 digits, in the US and Canada' },
  { name: 'contains', value: 'digits', summary: 'digits or letters that it contains; * is any one' },
]

const kindOf = (invocation: Invocation) => ({
  country: invocation.needed('country'),
  type: invocation.option('type'),
})
const searchOf = (invocation: Invocation) => ({
  ...kindOf(invocation),
  area_code: invocation.option('area-code'),
  contains: invocation.option('contains'),
})

const search: Command = {
  name: 'numbers search',
  summary: 'numbers that can be bought',
  options: [
    ...kind,
    ...searched,
    {
      name: 'address',
      value: 'id',
      summary: 'only numbers that this address suffices for; none: that need no address',
    },
    { name: 'limit', value: 'count', summary: '1 to 100 (default 20)' },
  ],
  examples: [
    'svc numbers search --country US --area-code 415',
    'svc numbers search --country DE --type mobile',
  ],
  async run(invocation) {
    const client = await invocation.client()
    const query = {
      ...searchOf(invocation),
      address: invocation.option('address'),
      limit: invocation.option('limit'),
    }
    const answer = await client.get<NumbersForSale>('/v1/numbers/for-sale', query)
    invocation.answer(answer, ({ numbers }) =>
      invocation.out.table(
        numbers,
        [
          { title: 'number', isName: true, of: ({ number }) => number },
          { title: 'place', of: ({ locality, region }) => [locality, region].filter(Boolean).join(', ') },
          { title: 'needs address', of: ({ needs_address }) => needs_address },
        ],
        'No such number is for sale: try another type or area code.',
      ),
    )
  },
}

const requirements: Command = {
  name: 'numbers requirements',
  summary: 'addresses and bundles to buy a number with',
  details: 'The operator creates them in the carrier account of the platform.',
  options: kind,
  examples: ['svc numbers requirements --country DE --type mobile'],
  async run(invocation) {
    const { out } = invocation
    const client = await invocation.client()
    const answer = await client.get<BuyingRequirements>('/v1/numbers/requirements', kindOf(invocation))
    invocation.answer(answer, ({ country, type, regulated, addresses, bundles }) => {
      const papers = [
        ...addresses.map(({ address, name, city, country: where }) => ({
          option: '--address',
          id: address,
          name,
          about: [city, where].filter(Boolean).join(', '),
        })),
        ...bundles.map(({ bundle, name, status }) => ({
          option: '--bundle',
          id: bundle,
          name,
          about: status,
        })),
      ]
      out.table(
        papers,
        [
          { title: 'option', of: ({ option }) => option },
          { title: 'id', isName: true, of: ({ id }) => id },
          { title: 'name', of: ({ name }) => name },
          { title: 'about', of: ({ about }) => about },
        ],
        'No address and no bundle: the operator creates them in the carrier account of the platform.',
      )
      if (regulated) out.note(`A purchase of a ${type} number in ${country} needs an approved bundle.`)
    })
  },
}

const buy: Command = {
  name: 'numbers buy',
  summary: 'buy a number and route it to an agent',
  details:
    'Without a number the first that is found is bought. svc numbers search lists numbers to choose from.',
  arguments: [{ ...numberArgument, isOptional: true }],
  options: [
    ...kind,
    ...searched,
    { name: 'address', value: 'id', summary: 'of svc numbers requirements, if the number needs one' },
    { name: 'bundle', value: 'id', summary: 'of svc numbers requirements, if the number needs one' },
    agentNeeded,
    channel,
    dryRun,
  ],
  examples: [
    'svc numbers buy --country ES --agent hello --dry-run',
    'svc numbers buy +14155550123 --country US --agent hello',
  ],
  async run(invocation) {
    const client = await invocation.client()
    const body = {
      ...searchOf(invocation),
      number: invocation.optional('number'),
      address: invocation.option('address'),
      bundle: invocation.option('bundle'),
      agent: invocation.needed('agent'),
      channel: invocation.option('channel'),
    }
    tellSteps(invocation, await client.post<ImportedNumber>('/v1/numbers/buy', body, dry(invocation)))
  },
}

export const buyingCommands = [search, requirements, buy]
