import assert from 'node:assert/strict'
import type { Role } from '@switchroom/contract/scopes'
import type { Client } from '../client.ts'
import { startDeployment, type Deployment, type TestOrg } from '../deployment.ts'
import { startMailServer, type MailServer } from '../mail/mail-server.ts'
import { until } from '../until.ts'

export const squattersPassword = 'the squatter chose this'
export const victimsPassword = 'the victim chose this'

/** An address that an org let in with a handed link, so that a stranger holds its seat. */
export interface SquattedAddress {
  email: string
  org: TestOrg
  /** The row in the squatter's org. */
  member: string
  key: string
  client: Client
}

export interface SquattingDeployment extends Deployment {
  mail: MailServer
  squat: (role?: Role) => Promise<SquattedAddress>
  /** An org invites the address, and the token is read from the platform's letter. */
  mailedInvitation: (email: string, org: TestOrg, role?: Role) => Promise<{ member: string; token: string }>
  /** The real person takes their seat with the letter. */
  prove: (
    email: string,
    org: TestOrg,
    role?: Role,
  ) => Promise<{ member: string; key: string; client: Client }>
  /** A client at an address of its own, so that no count of tries is met. */
  elsewhere: (client?: Client) => Client
}

/** A deployment that mails, with squatters and their victims. */
export async function startSquattingDeployment(
  wanted: Record<string, string> = {},
): Promise<SquattingDeployment> {
  const mail = await startMailServer()
  const deployment = await startDeployment({
    SVC_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
    SVC_MAIL_FROM: 'post@switchroom.test',
    SVC_TRUSTED_PROXIES: '127.0.0.1',
    ...wanted,
  })
  const { anonymous } = deployment
  let victims = 0
  let addresses = 0

  const mailedInvitation: SquattingDeployment['mailedInvitation'] = async (email, org, role = 'admin') => {
    const { id } = await org.invite(email, role)
    const letter = await until('the letter is there', () =>
      lettersTo(mail, email).find(({ text }) => text.includes(org.slug)),
    )
    return { member: id, token: tokenIn(letter) }
  }

  return {
    ...deployment,
    mail,
    mailedInvitation,
    async squat(role = 'admin') {
      const email = `victim-${(victims += 1)}@example.com`
      const org = await deployment.newOrg()
      const admin = await org.person('admin')
      const invited = await admin.client.post('/v1/members', { email, role })
      assert.notEqual(invited.body.token, null)
      const accepted = await anonymous.post(`/v1/invitations/${invited.body.token}`, {
        password: squattersPassword,
      })
      assert.deepEqual([accepted.status, accepted.body.member.verified], [200, false], accepted.text)
      const { key } = accepted.body
      return { email, org, member: invited.body.member.id, key, client: anonymous.as(key) }
    },
    async prove(email, org, role) {
      const { member, token } = await mailedInvitation(email, org, role)
      const accepted = await anonymous.post(`/v1/invitations/${token}`, { password: victimsPassword })
      assert.deepEqual([accepted.status, accepted.body.member.verified], [200, true], accepted.text)
      return { member, key: accepted.body.key, client: anonymous.as(accepted.body.key) }
    },
    elsewhere: (client = anonymous) =>
      client.with({ 'x-forwarded-for': `198.51.100.${(addresses += 1) % 250}` }),
    async [Symbol.asyncDispose]() {
      await deployment[Symbol.asyncDispose]()
      await mail[Symbol.asyncDispose]()
    },
  }
}

const lettersTo = (mail: MailServer, email: string) =>
  mail.letters().filter(({ envelope }) => envelope.to.includes(email))

/** The token in the one letter with which the address chooses a new password. */
export const resetTokenTo = async (mail: MailServer, email: string) =>
  tokenIn(
    await until('the letter is there', () =>
      lettersTo(mail, email).find(({ headers }) => /new password/.test(headers['subject'] ?? '')),
    ),
  )

const tokenIn = ({ text }: { text: string }) => /\/invitations\/([A-Za-z0-9_-]{43})/.exec(text)?.[1] ?? ''
