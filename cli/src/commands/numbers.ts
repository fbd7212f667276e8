import type { AvailableNumbers, ImportedNumber, NumberList, NumberPath } from '@switchroom/contract/numbers'
import type { Command } from '../invocation/command.ts'
import { exitCodes } from '../terminal/exit-codes.ts'
import { path } from '../gateway/gateway-client.ts'
import { plain } from '../terminal/text-width.ts'
import { buyingCommands } from './buying-numbers.ts'
import { fallbacks } from './number-fallbacks.ts'
import { agentNeeded, channel, dry, dryRun, numberArgument, tellSteps } from './number-options.ts'

const stateStyles = { ok: 'green', waiting: 'yellow', broken: 'red' } as const

const list: Command = {
  name: 'numbers',
  summary: 'numbers of the org and their status',
  examples: ['svc numbers', 'svc numbers --env production --json'],
  async run(invocation) {
    const { out } = invocation
    const client = await invocation.client()
    const answer = await client.get<NumberList>('/v1/numbers')
    invocation.answer(answer, ({ numbers }) =>
      out.table(
        numbers,
        [
          { title: 'number', isName: true, of: ({ route }) => route.number },
          { title: 'agent', isName: true, of: ({ route }) => route.agent },
          { title: 'channel', of: ({ route }) => route.channel },
          { title: 'rings', of: ({ rings }) => rings },
          { title: 'origin', of: ({ origin }) => origin },
          { title: 'account', isName: true, of: ({ account, via }) => account ?? via },
          { title: 'last call', of: ({ last_call_at }) => out.time(last_call_at) },
        ],
        'There is no number: svc numbers import brings one in.',
      ),
    )
  },
}

const ring: Command = {
  name: 'numbers path',
  summary: 'why a number rings or does not, step by step',
  details: 'The exit status is 1 if it is broken.',
  arguments: [numberArgument],
  examples: ['svc numbers path +34911234567'],
  async run(invocation) {
    const { out } = invocation
    const client = await invocation.client()
    const answer = await client.get<NumberPath>(path`/v1/numbers/${invocation.argument('number')}/path`)
    invocation.answer(answer, ({ steps }) => {
      for (const { step, state, says, fix } of steps) {
        out.line(`${out.style(stateStyles[state], state.padEnd(8))}${step}: ${plain(says)}`)
        if (fix !== null) out.line(`        ${out.style('bold', 'do')}: ${plain(fix)}`)
      }
    })
    return answer.rings === 'broken' ? exitCodes.refused : exitCodes.done
  },
}

const available: Command = {
  name: 'numbers available',
  summary: "numbers in the org's carrier accounts",
  examples: ['svc numbers available'],
  async run(invocation) {
    const client = await invocation.client()
    const answer = await client.get<AvailableNumbers>('/v1/numbers/available')
    invocation.answer(answer, ({ numbers }) =>
      invocation.out.table(
        numbers,
        [
          { title: 'number', isName: true, of: ({ number }) => number },
          { title: 'name', of: ({ name }) => name },
          { title: 'account', isName: true, of: ({ account }) => account },
          { title: 'imported', of: ({ imported }) => imported },
        ],
        'The carrier accounts have no numbers.',
      ),
    )
  },
}

const importNumber: Command = {
  name: 'numbers import',
  summary: 'import a number and route it to an agent',
  arguments: [{ ...numberArgument, isOptional: true }],
  options: [
    agentNeeded,
    dryRun,
    channel,
    { name: 'account', value: 'id', summary: 'the carrier account, if the org has several' },
    {
      name: 'extension',
      value: 'digits',
      summary: 'in place of a number: what the PBX of the account sends',
    },
    { name: 'hooked', summary: 'route the number to the platform at the carrier yourself' },
    {
      name: 'network',
      value: 'network',
      isRepeated: true,
      summary: 'with --hooked: a network that sends its calls',
    },
    { name: 'via', value: 'carrier', summary: "with --hooked: the catalogue's carrier that sends its calls" },
    { name: 'move', summary: 'remove it from another trunk of its account first' },
  ],
  examples: [
    'svc numbers import +34911234567 --agent hello --dry-run',
    'svc numbers import +34911234567 --agent hello --env production',
    'svc numbers import --extension 201 --account pbx --agent hello',
  ],
  async run(invocation) {
    const client = await invocation.client()
    const body = {
      number: invocation.optional('number'),
      extension: invocation.option('extension'),
      agent: invocation.needed('agent'),
      channel: invocation.option('channel'),
      account: invocation.option('account'),
      hooked: invocation.flag('hooked') || undefined,
      networks: invocation.list('network'),
      via: invocation.option('via'),
      move: invocation.flag('move') || undefined,
    }
    tellSteps(invocation, await client.post<ImportedNumber>('/v1/numbers', body, dry(invocation)))
  },
}

const move: Command = {
  name: 'numbers move',
  summary: 'move a number to the other environment',
  arguments: [numberArgument, { name: 'environment', summary: 'sandbox or production' }],
  examples: ['svc numbers move +34911234567 production'],
  async run(invocation) {
    const client = await invocation.client()
    const at = path`/v1/numbers/${invocation.argument('number')}/env`
    tellSteps(invocation, await client.put<ImportedNumber>(at, { env: invocation.argument('environment') }))
  },
}

const release: Command = {
  name: 'numbers release',
  summary: 'remove a number from the org; the carrier account keeps it',
  details:
    'With --at-carrier a number that the platform bought is also given back to the carrier, which may sell it to others. This cannot be undone.',
  arguments: [numberArgument],
  options: [{ name: 'at-carrier', summary: 'also give a bought number back to the carrier, for good' }],
  examples: ['svc numbers release +34911234567', 'svc numbers release +34911234567 --at-carrier'],
  async run(invocation) {
    const client = await invocation.client()
    const number = invocation.argument('number')
    const atCarrier = invocation.flag('at-carrier')
    await client.delete(path`/v1/numbers/${number}`, { at_carrier: atCarrier || undefined })
    const end = atCarrier ? ' It was given back to the carrier.' : ''
    if (!invocation.isJson) invocation.out.line(`Removed ${number}.${end}`)
  },
}

export const numberCommands = [
  list,
  ring,
  available,
  importNumber,
  ...buyingCommands,
  fallbacks,
  move,
  release,
]
