import type { Settings } from '../foundation/settings.ts'
import type { MailAccount } from './mailbox-values.ts'

type MailSettings = Pick<Settings, 'smtpUrl' | 'mailFrom'>

/** The mailbox that the deployment's settings name; it takes both of them. */
export function environmentMailbox({ smtpUrl, mailFrom }: MailSettings): MailAccount | undefined {
  if (smtpUrl === undefined || mailFrom === undefined) return undefined
  const isTls = smtpUrl.protocol === 'smtps:'
  return {
    host: smtpUrl.hostname.replace(/^\[|\]$/g, ''),
    port: Number(smtpUrl.port) || (isTls ? 465 : 587),
    security: isTls ? 'tls' : 'starttls',
    username: decoded(smtpUrl.username) || null,
    password: decoded(smtpUrl.password) || null,
    from: mailFrom,
  }
}

/** A warning if one of the two settings is missing. */
export function missingMailSetting({ smtpUrl, mailFrom }: MailSettings): string | undefined {
  if (smtpUrl !== undefined && mailFrom === undefined)
    return 'SVC_SMTP_URL is no mailbox without a sender: set SVC_MAIL_FROM too'
  if (smtpUrl === undefined && mailFrom !== undefined)
    return 'SVC_MAIL_FROM is no mailbox without a server: set SVC_SMTP_URL too'
  return undefined
}

/** A percent sign that encodes nothing stays as it is. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
