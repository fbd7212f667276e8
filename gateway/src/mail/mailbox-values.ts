import { isIPv6 } from 'node:net'
import { mailSecurities, type MailboxWrite, type MailSecurity } from '@switchroom/contract/mail'
import { normalHost } from '../foundation/address-ranges.ts'
import { badRequest } from '../foundation/refusals.ts'
import { isAddress } from '../foundation/text.ts'

export interface MailAccount {
  host: string
  port: number
  security: MailSecurity
  username: string | null
  password: string | null
  from: string
}

const textFields = ['host', 'security', 'username', 'password', 'from'] as const

/** The account as written, or the refusal of its first invalid value. */
export function accountOf(written: MailboxWrite): MailAccount {
  const { host, port, from } = written
  const broken = textFields.find((field) => /[\r\n\u2028\u2029]/.test(written[field] ?? ''))
  if (broken) throw badRequest(`${broken} is one line`)
  if (!isHost(host)) throw badRequest('host is a name or an address, without a scheme or a port')
  if (port < 1 || port > 65535) throw badRequest('port is a number from 1 to 65535')
  const security = mailSecurities.find((known) => known === written.security)
  if (!security) throw badRequest('security is starttls or tls')
  if (!senderOf(from)) throw badRequest('from is a@b or Name <a@b>')
  return {
    host,
    port,
    security,
    username: written.username || null,
    password: written.password || null,
    from,
  }
}

const isHost = (host: string) =>
  host.length <= 253 && normalHost(host) !== undefined && (isIPv6(host) || !host.includes(':'))

/** The two parts of `a@b` or `Name <a@b>`. */
export function senderOf(from: string): { name: string; address: string } | undefined {
  const [, name = '', address = ''] = /^([^<>\p{Cc}]*)<([^<>]+)>$/u.exec(from) ?? [from, '', from]
  return isAddress(address) ? { name: name.trim().replace(/^"(.*)"$/, '$1'), address } : undefined
}
