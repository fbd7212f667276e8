// The contract's closed sets, written out: loading its schemas takes longer than most commands run. A test compares them.

export const callStates = ['open', 'held', 'ended'] as const
export const channels = ['chat', 'web', 'phone', 'msgapp'] as const
export const verbs = ['takeover', 'release', 'say', 'whisper', 'end'] as const
export const consentKinds = ['express', 'written'] as const
export const numberChannels = ['phone', 'msgapp'] as const
export const numberTypes = ['local', 'mobile', 'national', 'toll-free'] as const
export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
export const mailSecurities = ['starttls', 'tls'] as const
export const networkStates = ['waiting', 'approved', 'refused'] as const
export const quotaNames = ['minutes', 'messages', 'agents', 'concurrent_calls', 'numbers', 'seats'] as const
export const capNames = [
  'event_streams',
  'app_sockets',
  'chats',
  'recordings_gb',
  'entries',
  'bases',
  'documents',
  'documents_gb',
  'chunks',
] as const

/** How an agent is called. */
export const agentSlug = /^[a-z0-9][a-z0-9_-]{0,62}$/
