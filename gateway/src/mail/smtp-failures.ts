import { HostRefused } from '../foundation/public-addresses.ts'

interface SmtpError extends Error {
  /** Nodemailer's word for what failed. */
  code?: string
  /** What the system or TLS called it. */
  originalCode?: string
  command?: string
  response?: string
}

/** Why a letter was not sent, in one sentence. A server's own words stay out: they may repeat a password. */
export function failureSentence(host: string, failure: unknown, hasTimedOut: boolean): string {
  if (failure instanceof HostRefused) return failure.message
  if (hasTimedOut) return `${host} did not take the letter in time`
  const { code = '', originalCode = '', command = '', response = '' } = failure as SmtpError
  const answered = /^\d{3}(?:[ -]\d\.\d{1,3}\.\d{1,3})?/.exec(response)?.[0].replace('-', ' ')
  if (code === 'EAUTH') return `${host} refused the username or password`
  if (command === 'STARTTLS' && answered) return `${host} offers no STARTTLS`
  if (answered) return `${host} refused the letter with ${answered}`
  const reason = originalCode || code
  if (/CERT|SIGNATURE|SELF_SIGNED|ISSUER/.test(reason))
    return `the certificate of ${host} is not trusted (${reason})`
  if (/SSL|TLS/.test(reason)) return `${host} does not speak TLS on this port`
  if (code === 'ECONNECTION') return `${host} closed the connection`
  return `${host} cannot be reached (${reason || 'no reason given'})`
}
