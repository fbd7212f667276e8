import { expectationKinds, type ExpectationKind } from '@switchroom/contract/eval-names'
import type { Expectation, OrderedEntry, Verdict } from '@switchroom/contract/evals'
import type { Entry } from '@switchroom/contract/log'
import { mismatch } from './argument-schema.ts'
import { answerTimes, endOf, messagesBy, toolsCalled, type ToolCalled } from './call-facts.ts'
import { Pattern } from './patterns.ts'
import { toldLanguage } from './told-language.ts'

type Found = Pick<Verdict, 'answer' | 'why' | 'seqs'>

const yes = (why: string, ...seqs: number[]): Found => ({ answer: 'yes', why, seqs })
const no = (why: string, ...seqs: number[]): Found => ({ answer: 'no', why, seqs })

/** The one field that says what is expected. */
export function kindThere(expectation: Expectation): ExpectationKind {
  const kind = expectationKinds.find((known) => expectation[known] !== undefined)
  if (!kind) throw new Error('an expectation without a kind was kept')
  return kind
}

/** Whether an expectation holds in a call that has ended, from its log alone. */
export function verdictOf(expectation: Expectation, entries: readonly Entry[]): Verdict {
  const kind = kindThere(expectation)
  return { kind, text: textOf(expectation), ...judges[kind](expectation, entries) }
}

/** In words, for people. */
export function textOf(expectation: Expectation): string {
  const { tool, no_tool, order, said, not_said, by = 'agent' } = expectation
  if (tool !== undefined) return `calls ${tool}${argumentsIn(expectation)}${timesIn(expectation)}`
  if (no_tool !== undefined) return `does not call ${no_tool}`
  if (order !== undefined) return `in order: ${order.map(placeText).join(', ')}`
  if (said !== undefined) return `the ${by} says ${said}`
  if (not_said !== undefined) return `the ${by} does not say ${not_said}`
  if (expectation.transferred_to !== undefined) return `transfers to ${expectation.transferred_to}`
  if (expectation.ended_by !== undefined) return `ended by ${expectation.ended_by}`
  if (expectation.language !== undefined) return `speaks ${expectation.language}`
  return `answers within ${expectation.latency_below_ms} ms`
}

const argumentsIn = ({ arguments: schema }: Expectation) =>
  schema === undefined ? '' : ` with ${JSON.stringify(schema)}`
const timesIn = ({ times }: Expectation) => (times === undefined ? '' : `, ${countOf(times)}`)
const countOf = (times: number) => (times === 1 ? 'once' : `${times} times`)
const placeText = ({ type, tool }: OrderedEntry) => (tool === undefined ? type : `a call of ${tool}`)

type Judge = (expectation: Expectation, entries: readonly Entry[]) => Found

const judges: Readonly<Record<ExpectationKind, Judge>> = {
  tool: toolCalled,
  order: inOrder,

  no_tool({ no_tool }, entries) {
    const calls = toolsCalled(entries).filter(({ name }) => name === no_tool)
    if (calls.length === 0) return yes(`${no_tool} is not called`)
    return no(`${no_tool} is called`, ...calls.map(({ seq }) => seq))
  },

  said({ said = '', by }, entries) {
    const messages = messagesBy(entries, by === 'caller' ? 'caller' : 'agent')
    const pattern = new Pattern(said)
    const found = messages.find(({ text }) => pattern.isIn(text))
    if (found) return yes('a message matches', found.seq)
    return no(`none of ${messages.length} messages matches`, ...messages.slice(-1).map(({ seq }) => seq))
  },

  not_said({ not_said = '', by }, entries) {
    const pattern = new Pattern(not_said)
    const messages = messagesBy(entries, by === 'caller' ? 'caller' : 'agent')
    const found = messages.filter(({ text }) => pattern.isIn(text))
    if (found.length === 0) return yes(`none of ${messages.length} messages matches`)
    return no(found.length === 1 ? 'a message matches' : `${found.length} messages match`, ...seqsOf(found))
  },

  transferred_to({ transferred_to }, entries) {
    const transfers = entries.filter(({ type }) => type === 'transfer.requested')
    const right = transfers.find(({ data }) => data['to'] === transferred_to)
    if (right) return yes(`it is transferred to ${transferred_to}`, right.seq)
    const others = transfers.map(({ data }) => String(data['to'])).join(', ')
    return no(
      others === '' ? 'it is not transferred' : `it is transferred to ${others}`,
      ...seqsOf(transfers),
    )
  },

  ended_by({ ended_by }, entries) {
    const end = endOf(entries)
    if (!end) return no('the call has no end')
    return end.by === ended_by ? yes(`ended by ${end.by}`, end.seq) : no(`ended by ${end.by}`, end.seq)
  },

  latency_below_ms({ latency_below_ms: limit = 0 }, entries) {
    const times = answerTimes(entries)
    const slow = times.filter(({ ms }) => ms >= limit)
    const longest = Math.max(0, ...times.map(({ ms }) => ms))
    if (times.length === 0) return no('the agent answers nothing')
    if (slow.length === 0) return yes(`the slowest of ${times.length} answers took ${longest} ms`)
    return no(
      `${slow.length} of ${times.length} answers took longer, the slowest ${longest} ms`,
      ...seqsOf(slow),
    )
  },

  language({ language }, entries) {
    const messages = messagesBy(entries, 'agent')
    const told = toldLanguage(messages.map(({ text }) => text).join('\n'))
    const seqs = seqsOf(messages)
    if (told === language) return yes(`it speaks ${told}`, ...seqs.slice(0, 1))
    if (told === undefined) return { answer: 'unclear', why: 'the agent says too little to tell', seqs }
    return no(`it speaks ${told}`, ...seqs)
  },
}

function toolCalled({ tool, arguments: schema, times }: Expectation, entries: readonly Entry[]): Found {
  const calls = toolsCalled(entries).filter(({ name }) => name === tool)
  const whyNot = ({ arguments: given }: ToolCalled) => schema && mismatch(schema, given)
  const right = calls.filter((call) => whyNot(call) === undefined)
  if (times !== undefined && right.length !== times)
    return no(`${tool} is called ${countOf(right.length)}${schema ? ' so' : ''}`, ...seqsOf(calls))
  if (right.length > 0 || times === 0)
    return yes(`${tool} is called ${countOf(right.length)}`, ...seqsOf(right))
  const [last] = calls.slice(-1)
  if (!last) return no(`${tool} is not called`)
  return no(`${tool} is called, but ${whyNot(last)}`, ...seqsOf(calls))
}

function inOrder({ order = [] }: Expectation, entries: readonly Entry[]): Found {
  const seqs: number[] = []
  let rest = entries
  for (const wanted of order) {
    const at = rest.findIndex((entry) => isWanted(wanted, entry))
    const found = rest[at]
    if (!found)
      return no(`there is no ${placeText(wanted)}${seqs.length > 0 ? ' after the others' : ''}`, ...seqs)
    seqs.push(found.seq)
    rest = rest.slice(at + 1)
  }
  return yes('they come in this order', ...seqs)
}

const isWanted = ({ type, tool }: OrderedEntry, entry: Entry) =>
  tool === undefined ? entry.type === type : toolsCalled([entry]).some(({ name }) => name === tool)

const seqsOf = (found: readonly { seq: number }[]) => found.map(({ seq }) => seq)
