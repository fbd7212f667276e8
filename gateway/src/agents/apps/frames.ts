import type { AppError, AppErrorCode } from '@switchroom/contract/apps'
import type { Caller } from '../../foundation/caller.ts'
import { badRequest, type Refusal } from '../../foundation/refusals.ts'
import { cutToLine } from '../../foundation/text.ts'

export type Frame = Readonly<Record<string, unknown>>

/** The app that a frame came from. */
export interface FrameSource {
  socket: string
  caller: Caller
  /** Whose copies the app holds: a member's in the sandbox, empty for the org's own. */
  holder: string
  send: (frame: object) => void
}

export function readFrame(data: Buffer, isBinary: boolean): Frame {
  if (isBinary) throw badRequest('a frame is text, and this one was binary')
  const sent = jsonOf(data.toString('utf8'))
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) throw notOne()
  return sent as Frame
}

const notOne = () => badRequest('a frame is one JSON object')

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw notOne()
  }
}

export function typeOf({ type }: Frame): string {
  if (type === undefined) throw badRequest('type: is required')
  if (typeof type !== 'string') throw badRequest('type: must be a string')
  return type
}

export const unknownFrame = (type: string) => badRequest(`no frame is called ${cutToLine(type, 'nothing')}`)

/** The agent a frame names, whether or not the rest of it is in order. */
export const agentOf = ({ agent }: Frame) => (typeof agent === 'string' ? agent : null)

/** Likewise the call. */
export const callOf = ({ call }: Frame) => (typeof call === 'string' ? call : undefined)

/** Likewise what the app calls it. */
const requestOf = ({ request }: Frame) =>
  typeof request === 'string' && request.length <= 64 ? request : undefined

/** The refusal of a frame, whatever of it could be read. */
export function refusalFrame(frame: Frame, refusal: Refusal): AppError {
  const request = requestOf(frame)
  return { ...errorFrame(agentOf(frame), refusal, callOf(frame)), ...(request !== undefined && { request }) }
}

export const errorFrame = (agent: string | null, refusal: Refusal, call?: string): AppError => ({
  type: 'error',
  agent,
  ...(call !== undefined && { call }),
  code: codeOf(refusal),
  detail: refusal.message,
})

const codes: Record<number, AppErrorCode> = {
  403: 'AGENT_NOT_ALLOWED',
  429: 'QUOTA_EXCEEDED',
  500: 'INTERNAL_ERROR',
  503: 'INTERNAL_ERROR',
}

const codeOf = ({ code, status }: Refusal) =>
  (code as AppErrorCode | undefined) ?? codes[status] ?? 'BAD_FRAME'
