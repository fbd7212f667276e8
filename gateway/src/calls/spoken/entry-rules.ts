import { KnowledgeFound } from '@switchroom/contract/knowledge'
import { callReasons, ephemeralTypes, type AppendEntries, type NewEntry } from '@switchroom/contract/log'
import type { Learned } from '@switchroom/session/memory'
import { badRequest, listed } from '../../foundation/refusals.ts'
import { cutToLine } from '../../foundation/text.ts'
import { fits } from '../../http/shape-checks.ts'
import type { Run } from '../log/log.ts'

const typeForm = /^(?:[a-z][a-z0-9_]*(?:\.[a-z][a-zA-Z0-9_]*)+|error|metrics)$/
const longestType = 100

/** Types that only the gateway writes. */
const gatewaysTypes: ReadonlySet<string> = new Set([
  'call.started',
  'call.dialing',
  'call.answered',
  'call.taken_over',
  'call.released',
  'call.whispered',
  'call.routed',
  'call.route_failed',
  'call.preparing',
  'call.preparingTimeout',
  'say.requested',
  'transfer.requested',
  'tones.requested',
  'reconnect.requested',
  'hangup.requested',
  'recording.stored',
  'llm.toolCall',
  'tool.result',
  'session.paused',
  'session.resumed',
  'message.waiting',
  'message.taken',
])
const gatewaysRooms: ReadonlySet<string> = new Set(['agent', 'callback', 'chat', 'msgapp', 'line', 'log'])
const workersOwn: ReadonlySet<string> = new Set(['agent.message'])

/** Types that are never ephemeral, because others act on them. */
const alwaysKept: ReadonlySet<string> = new Set([
  'call.ended',
  'user.message',
  'agent.message',
  'call.opt_out',
  'vendor.switched',
  'metrics',
  'error',
  'memory.ops',
  'knowledge.found',
])

/** `dial_failed` is a placed call that failed before the far end was asked; only the log has this reason. */
const reasons: readonly string[] = [...callReasons, 'dial_failed']

/** Groups a worker's entries into runs that are all stored or all ephemeral, in order. */
export function readRuns(sent: AppendEntries['entries']): Run[] {
  const runs: (Run & { entries: NewEntry[] })[] = []
  for (const [place, { type, data, ephemeral = false }] of sent.entries()) {
    refuseOthersType(type)
    if (ephemeral && alwaysKept.has(type)) throw badRequest(`${type} is kept: send it without ephemeral`)
    if (type === 'call.ended') refuseOtherThanLast(data, place === sent.length - 1)
    if (type === 'memory.ops') refuseMalformedMemory(data)
    if (type === 'knowledge.found') refuseMalformedFinding(data)
    if (type === 'user.message' || type === 'agent.message') refuseWordless(type, data)
    const isEphemeral = ephemeral || ephemeralTypes.has(type)
    const last = runs.at(-1)
    if (last?.isEphemeral === isEphemeral) last.entries.push({ type, data })
    else runs.push({ isEphemeral, entries: [{ type, data }] })
  }
  return runs
}

function refuseOthersType(type: string) {
  if (type.length > longestType || !typeForm.test(type))
    throw badRequest(`${cutToLine(type, 'nothing')} is no type of entry: it reads as user.message does`)
  const [room = ''] = type.split('.')
  if (gatewaysTypes.has(type) || (gatewaysRooms.has(room) && !workersOwn.has(type)))
    throw badRequest(`the gateway itself writes ${type}`)
}

function refuseOtherThanLast(data: NewEntry['data'], isLast: boolean) {
  if (!isLast) throw badRequest('call.ended is the last entry of a call')
  const { reason } = data
  if (typeof reason !== 'string' || !reasons.includes(reason))
    throw badRequest(`the reason of call.ended is one of ${listed(reasons)}`)
}

function refuseWordless(type: string, { text, messageId }: NewEntry['data']) {
  if (typeof text !== 'string' || typeof messageId !== 'string')
    throw badRequest(`${type} has a text and a messageId`)
}

function refuseMalformedMemory(data: NewEntry['data']) {
  if (!isLearned(data))
    throw badRequest(
      'memory.ops has a contact and ops: {op: add, id, text}, {op: update, id, text, supersedes} or {op: delete, id}',
    )
}

function refuseMalformedFinding(data: NewEntry['data']) {
  if (!fits(KnowledgeFound, data))
    throw badRequest(
      'knowledge.found has base, mode, query, passages, best_score, ms, waited_ms, late and error',
    )
}

/** Whether an entry's data is what `memory.ops` holds. */
export function isLearned(data: NewEntry['data']): data is NewEntry['data'] & Learned {
  const { contact, ops } = data
  return typeof contact === 'string' && Array.isArray(ops) && ops.length > 0 && ops.every(isMemoryOp)
}

function isMemoryOp(op: unknown): boolean {
  if (typeof op !== 'object' || op === null) return false
  const fields = op as Record<string, unknown>
  const isGiven = (field: string) => typeof fields[field] === 'string' && fields[field] !== ''
  if (!isGiven('id')) return false
  if (fields['op'] === 'delete') return true
  if (fields['op'] === 'add') return isGiven('text')
  return fields['op'] === 'update' && isGiven('text') && isGiven('supersedes')
}
