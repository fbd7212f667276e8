import type { DoNotCallPage, ImportedDoNotCall, NumberConsents } from '@switchroom/contract/consents'
import { consentKinds } from '../invocation/closed-sets.ts'
import { afterOption, fileOption, type Argument, type Command } from '../invocation/command.ts'
import { path } from '../gateway/gateway-client.ts'
import type { Invocation } from '../invocation/invocation.ts'

const numberArgument: Argument = { name: 'number', summary: 'such as +34911234567' }
const at = (invocation: Invocation) => path`/v1/org/consents/${invocation.argument('number')}`

function show(invocation: Invocation, answer: NumberConsents): void {
  const { out } = invocation
  invocation.answer(answer, ({ number, standing, rows }) => {
    out.line(`${number}: ${standing}`)
    out.table(
      rows,
      [
        { title: 'time', of: (row) => out.time(row.at) },
        { title: 'fact', of: ({ fact, kind }) => (kind === null ? fact : `${fact} (${kind})`) },
        { title: 'source', of: ({ source }) => source },
        { title: 'by', of: ({ by }) => by },
        { title: 'call', isName: true, of: ({ call }) => call },
      ],
      'No consent records.',
    )
  })
}

const get: Command = {
  name: 'consents get',
  summary: 'consent records of a number and its current status',
  arguments: [numberArgument],
  examples: ['svc consents get +34911234567'],
  async run(invocation) {
    show(invocation, await (await invocation.client()).get<NumberConsents>(at(invocation)))
  },
}

const record: Command = {
  name: 'consents record',
  summary: 'record a consent to be called',
  arguments: [numberArgument],
  options: [
    { name: 'kind', value: 'kind', choices: consentKinds, summary: 'how it was given (default express)' },
    { name: 'source', value: 'text', summary: 'where it was given' },
    { name: 'text', value: 'text', summary: 'the text that was agreed to' },
    { name: 'evidence', value: 'text', summary: 'what proves it' },
  ],
  examples: ['svc consents record +34911234567 --kind written --source "form of 3 May"'],
  async run(invocation) {
    const client = await invocation.client()
    const answer = await client.post<NumberConsents>('/v1/org/consents', {
      number: invocation.argument('number'),
      kind: invocation.option('kind') ?? 'express',
      source: invocation.needed('source'),
      text: invocation.option('text'),
      evidence: invocation.option('evidence'),
    })
    show(invocation, answer)
  },
}

const optOut: Command = {
  name: 'consents opt-out',
  summary: 'add a number to the do-not-call list',
  arguments: [numberArgument],
  examples: ['svc consents opt-out +34911234567'],
  async run(invocation) {
    show(invocation, await (await invocation.client()).delete<NumberConsents>(at(invocation)))
  },
}

const list: Command = {
  name: 'consents dnc',
  summary: 'the do-not-call list, newest first',
  options: [afterOption],
  examples: ['svc consents dnc'],
  async run(invocation) {
    const { out } = invocation
    const client = await invocation.client()
    const answer = await client.get<DoNotCallPage>('/v1/org/dnc', { after: invocation.option('after') })
    invocation.page(
      answer,
      answer.numbers,
      [
        { title: 'number', isName: true, of: ({ number }) => number },
        { title: 'since', of: ({ at: since }) => out.time(since) },
        { title: 'source', of: ({ source }) => source },
        { title: 'by', of: ({ by }) => by },
      ],
      'The do-not-call list is empty.',
    )
  },
}

const importList: Command = {
  name: 'consents import',
  summary: 'import numbers into the do-not-call list',
  options: [
    fileOption('one number per line'),
    { name: 'source', value: 'text', summary: 'name of the source list' },
  ],
  examples: ['svc consents import --file registry.txt --source "national registry, May"'],
  async run(invocation) {
    const client = await invocation.client()
    const text = await invocation.textOf(invocation.needed('file'))
    const numbers = text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
    const body = { numbers, source: invocation.needed('source') }
    const answer = await client.post<ImportedDoNotCall>('/v1/org/dnc', body)
    invocation.answer(answer, ({ added, refused }) => {
      invocation.out.line(`Added ${added} numbers.`)
      for (const each of refused)
        invocation.out.note(`Skipped ${each}: write it in international form, such as +34911234567.`)
    })
  },
}

export const consentCommands = [get, record, optOut, list, importList]
