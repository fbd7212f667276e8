import { Type, type Static } from 'typebox'

/** What a run of the retention forgot. */
export const RetentionRun = Type.Object({
  entries: Type.Integer({
    description:
      "of the logs of calls that ended longer ago than SVC_LOG_DAYS, and as old ones of agents' own logs",
  }),
  calls: Type.Integer({ description: 'records of calls that ended longer ago than SVC_CALL_DAYS' }),
  dials: Type.Integer({ description: 'of the ledger older than SVC_DIAL_DAYS' }),
  keys: Type.Integer({ description: 'that were revoked longer ago than SVC_KEY_DAYS' }),
  audit: Type.Integer({ description: 'entries of the audit log older than SVC_AUDIT_DAYS' }),
  claims: Type.Integer({ description: 'of messages that were delivered more than a week ago' }),
})
export type RetentionRun = Static<typeof RetentionRun>
