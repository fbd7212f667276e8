import {
  callEnders,
  expectationKinds,
  longestScenarioBytes,
  scenarioNameForm,
  toldLanguages,
  type ScenarioKind,
} from '@switchroom/contract/eval-names'
import type { Expectation, OrderedEntry, ScenarioDefinition } from '@switchroom/contract/evals'
import { badRequest } from '../../foundation/refusals.ts'
import { codePoints } from '../../foundation/text.ts'
import { refuseBadSchema } from '../expectations/argument-schema.ts'
import { refuseBadPattern } from '../expectations/patterns.ts'

const longestText = 8000
const longestDescription = 500
const longestMetadataBytes = 4096
const longestWaitS = 600
const mostTurns = 100
const mostExpectations = 50
const mostOrdered = 20

const definitionFields = ['name', 'description', 'metadata', 'turns', 'expect']
const turnFields = ['say', 'wait_s']
const besides: Readonly<Record<string, readonly string[]>> = {
  tool: ['arguments', 'times'],
  said: ['by'],
  not_said: ['by'],
}
/** What only calls with sound have, which no run makes yet. */
const spokenFields: ReadonlySet<string> = new Set(['keys', 'interrupt', 'voice', 'noise'])

/** Refuses a scenario that could not be run as it reads: nothing in it is passed over. */
export function refuseUnsound(definition: ScenarioDefinition) {
  const { name, description = '', turns, expect } = definition
  if (!scenarioNameForm.test(name))
    throw badRequest('name is 1 to 64 lower-case letters, digits and dashes, and begins with none')
  const at = `scenario ${name}`
  refuseUnknown(at, definition, definitionFields)
  if (Buffer.byteLength(JSON.stringify(definition)) > longestScenarioBytes)
    throw badRequest(`${at} is longer than ${longestScenarioBytes} bytes of JSON`)
  if (codePoints(description).length > longestDescription)
    throw badRequest(`${at}: a description is at most ${longestDescription} characters`)
  refuseBadMetadata(at, definition)
  if (turns.length === 0 || turns.length > mostTurns) throw badRequest(`${at} has 1 to ${mostTurns} turns`)
  for (const [place, turn] of turns.entries()) refuseBadTurn(`${at}: turns[${place}]`, turn)
  if (!turns.some(({ say }) => say !== undefined))
    throw badRequest(`${at}: the caller says nothing in any turn`)
  if (expect.length === 0 || expect.length > mostExpectations)
    throw badRequest(`${at} has 1 to ${mostExpectations} things to expect`)
  for (const [place, one] of expect.entries()) refuseBadExpectation(`${at}: expect[${place}]`, one)
}

/** What sort of caller it has. */
export const kindOfScenario = (_definition: ScenarioDefinition): ScenarioKind => 'scripted'

function refuseUnknown(at: string, sent: object, known: readonly string[]) {
  for (const field of Object.keys(sent)) {
    if (known.includes(field)) continue
    if (spokenFields.has(field))
      throw badRequest(
        `${at} has ${field}, which only spoken calls have, and runs make written ones: leave it out`,
      )
    throw badRequest(`${at} has ${field}: the fields are ${known.join(', ')}`)
  }
}

function refuseBadMetadata(at: string, { metadata }: ScenarioDefinition) {
  if (metadata === undefined) return
  if (Buffer.byteLength(JSON.stringify(metadata)) > longestMetadataBytes)
    throw badRequest(`${at}: metadata is at most ${longestMetadataBytes} bytes of JSON`)
}

function refuseBadTurn(at: string, turn: ScenarioDefinition['turns'][number]) {
  refuseUnknown(at, turn, turnFields)
  const { say, wait_s } = turn
  if ((say === undefined) === (wait_s === undefined)) throw badRequest(`${at} has one of say and wait_s`)
  if (say !== undefined && (say.trim() === '' || codePoints(say).length > longestText))
    throw badRequest(`${at}.say is 1 to ${longestText} characters, and not all of them blank`)
  if (wait_s !== undefined && !(wait_s >= 0 && wait_s <= longestWaitS))
    throw badRequest(`${at}.wait_s must be between 0 and ${longestWaitS} (got ${wait_s})`)
}

function refuseBadExpectation(at: string, one: Expectation) {
  const kinds = expectationKinds.filter((kind) => one[kind] !== undefined)
  const [kind] = kinds
  if (kind === undefined || kinds.length > 1) {
    refuseUnknown(at, one, [...expectationKinds, ...Object.values(besides).flat()])
    throw badRequest(`${at} has exactly one of ${expectationKinds.join(', ')}`)
  }
  refuseUnknown(at, one, [kind, ...(besides[kind] ?? [])])
  if (one.said !== undefined) refuseBadPattern(`${at}.said`, one.said)
  if (one.not_said !== undefined) refuseBadPattern(`${at}.not_said`, one.not_said)
  if (one.arguments !== undefined) refuseBadSchema(`${at}.arguments`, one.arguments)
  for (const field of ['tool', 'no_tool', 'transferred_to'] as const)
    if (one[field]?.trim() === '') throw badRequest(`${at}.${field} is blank`)
  refuseOtherThan(`${at}.by`, one.by, ['agent', 'caller'])
  refuseOtherThan(`${at}.ended_by`, one.ended_by, callEnders)
  refuseOtherThan(`${at}.language`, one.language, toldLanguages)
  if (one.times !== undefined && one.times < 0) throw badRequest(`${at}.times is a whole number from 0`)
  if (one.latency_below_ms !== undefined && one.latency_below_ms <= 0)
    throw badRequest(`${at}.latency_below_ms is above 0`)
  if (one.order !== undefined) refuseBadOrder(`${at}.order`, one.order)
}

function refuseOtherThan(at: string, said: string | undefined, known: readonly string[]) {
  if (said !== undefined && !known.includes(said)) throw badRequest(`${at} is one of ${known.join(', ')}`)
}

function refuseBadOrder(at: string, order: readonly OrderedEntry[]) {
  if (order.length < 2 || order.length > mostOrdered)
    throw badRequest(`${at} has 2 to ${mostOrdered} entries`)
  for (const [place, one] of order.entries()) {
    refuseUnknown(`${at}[${place}]`, one, ['type', 'tool'])
    if ((one.type === undefined) === (one.tool === undefined))
      throw badRequest(`${at}[${place}] has one of type and tool`)
  }
}
