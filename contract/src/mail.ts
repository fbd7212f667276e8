import { Type, type Static } from 'typebox'
import { anyOf, nullable, oneOf, Timestamp } from './shapes.ts'

export const mailSecurities = ['starttls', 'tls'] as const
export type MailSecurity = (typeof mailSecurities)[number]

/** An SMTP account as it is written; whatever is absent is none. */
export const MailboxWrite = Type.Object({
  host: Type.String({ description: 'a name or an address, without a scheme' }),
  port: Type.Integer({ description: '1 to 65535' }),
  security: anyOf(mailSecurities),
  username: Type.Optional(nullable(Type.String())),
  password: Type.Optional(nullable(Type.String({ description: 'write-only' }))),
  from: Type.String({ description: '`a@b` or `Name <a@b>`' }),
})
export type MailboxWrite = Static<typeof MailboxWrite>

/** An SMTP account as it reads, without its password; all null when there is none. */
export const Mailbox = Type.Object({
  configured: Type.Boolean(),
  host: nullable(Type.String()),
  port: nullable(Type.Integer()),
  security: nullable(oneOf(mailSecurities)),
  username: nullable(Type.String()),
  from: nullable(Type.String()),
  verified_at: nullable(Timestamp),
  last_error: nullable(Type.String({ description: 'why the last letter was not sent' })),
})
export type Mailbox = Static<typeof Mailbox>

export const mailboxSources = ['stored', 'environment'] as const

export const PlatformMailbox = Type.Interface([Mailbox], {
  source: nullable(oneOf(mailboxSources)),
})
export type PlatformMailbox = Static<typeof PlatformMailbox>

export const TestLetter = Type.Object({ to: Type.String() })
export type TestLetter = Static<typeof TestLetter>

export const SentLetter = Type.Object({
  sent: Type.Boolean(),
  error: nullable(Type.String({ description: 'one sentence, null when it was sent' })),
})
export type SentLetter = Static<typeof SentLetter>
