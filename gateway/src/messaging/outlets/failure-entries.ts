import type { ErrorCode } from '@switchroom/contract/log'
import { agentLog, type LogRef } from '../../calls/log/entries.ts'
import type { Log } from '../../calls/log/log.ts'
import type { Transaction } from '../../database/database.ts'
import type { PlatformError } from '../platform/send-failures.ts'

export interface MessageFailure {
  code: Extract<ErrorCode, `msgapp_${string}`>
  /** Of the agent's message. */
  messageId: unknown
  error: PlatformError
}

/** On the call's log, which is locked; the log of a call that has ended takes no more, so then on the agent's own. */
export async function logFailure(
  tx: Transaction,
  log: Log,
  locked: LogRef & { sealed: boolean },
  { code, messageId, error }: MessageFailure,
) {
  const data = { code, messageId, detail: error.detail, platform_code: error.code }
  if (!locked.sealed) await log.appendIn(tx, locked, [{ type: 'error', data }])
  else await log.appendIn(tx, agentLog(locked), [{ type: 'error', data: { ...data, call: locked.id } }])
}
