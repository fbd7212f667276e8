import type { Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import { callbackify } from 'node:util'
import { normalHost } from '../foundation/address-ranges.ts'
import type { LetterText } from './letter-texts.ts'
import { senderOf, type MailAccount } from './mailbox-values.ts'

export interface OutgoingLetter extends LetterText {
  to: string
}

export interface Wire {
  /** The only way a connection is made, so that the caller decides which hosts may be reached. */
  connect: (host: string, port: number, signal: AbortSignal) => Promise<Socket>
  tls: { secureContext?: SecureContext }
  /** Whether a server that offers no STARTTLS gets the letter in the clear. */
  mayBeClear: boolean
}

/** Hands one letter to one server, for one recipient. */
export async function sendBySmtp(
  account: MailAccount,
  letter: OutgoingLetter,
  wire: Wire,
  signal: AbortSignal,
) {
  const { host, port, security, username, password } = account
  const from = senderOf(account.from)
  if (!from) throw new Error(`${account.from} cannot send`)
  const reach = callbackify(wire.connect)
  const { createTransport } = await import('nodemailer') // 5 MB that a gateway without letters never needs
  const transport = createTransport({
    host: normalHost(host) ?? host,
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls' && !wire.mayBeClear, // without it a letter goes in the clear when there is none
    tls: wire.tls,
    ...(username !== null && { auth: { user: username, pass: password ?? '' } }),
    getSocket: (_options, done) =>
      reach(host, port, signal, (error, connection) =>
        error ? done(error, false) : done(null, { connection }),
      ),
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  await transport.sendMail({
    from,
    to: { name: '', address: letter.to }, // as text, `eve,ana@x.example` would be read as a list
    subject: letter.subject,
    text: letter.text,
    html: letter.html,
    headers: { 'Auto-Submitted': 'auto-generated' },
  })
}
