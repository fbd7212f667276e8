import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused } from '../../../testing/client.ts'
import { password } from '../../../testing/deployment.ts'
import {
  mailboxAt,
  orgHost,
  platformHost,
  startMailDeployment,
} from '../../../testing/mail/mail-deployment.ts'
import type { MailServer } from '../../../testing/mail/mail-server.ts'
import { until } from '../../../testing/until.ts'

const mail = await startMailDeployment()
after(() => mail[Symbol.asyncDispose]())
const { deployment, mailServer } = mail
const { operator, anonymous } = deployment

let guests = 0
const newGuest = () => `guest-${(guests += 1)}@example.com`
const letterTo = (server: MailServer, email: string) =>
  until('the letter is there', () => server.letters().find(({ envelope }) => envelope.to.includes(email)))
const tokenIn = ({ text }: { text: string }) => /\/invitations\/([A-Za-z0-9_-]{43})/.exec(text)?.[1] ?? ''

/** Sets the platform's mailbox for the time of a test. */
async function withPlatformMailbox(work: (server: MailServer) => Promise<void>) {
  const server = await mailServer()
  await operator.put('/v1/ops/mail', mailboxAt(server, platformHost))
  try {
    await work(server)
  } finally {
    await operator.delete('/v1/ops/mail')
  }
}

async function newOrgWithMailbox() {
  const org = await deployment.newOrg()
  const admin = await org.person('admin')
  const server = await mailServer()
  await admin.client.put('/v1/org/mail', mailboxAt(server, orgHost))
  return { org, admin, server }
}

test("the platform's letter has a link of its own, which proves the address; the handed one does not (I-284, I-285, I-420, ID-57, ID-74)", async () => {
  await withPlatformMailbox(async (server) => {
    const { client } = await (await deployment.newOrg()).person('admin')
    for (const use of ['mailed', 'handed'] as const) {
      const email = newGuest()
      const { body } = await client.post('/v1/members', { email, role: 'qa' })
      assert.equal(body.mailed, true)
      const mailed = tokenIn(await letterTo(server, email))
      assert.notEqual(mailed, body.token)
      const tokens = { mailed, handed: body.token }
      const accepted = await anonymous.post(`/v1/invitations/${tokens[use]}`, { password })
      assert.equal(accepted.body.member.verified, use === 'mailed')
      for (const token of Object.values(tokens))
        refused(
          await anonymous.post(`/v1/invitations/${token}`, { password }),
          404,
          'that link is spent or was never made',
        )
    }
  })
})

test("a letter by the org's own mailbox carries the handed link, which proves nothing (I-419, ID-74)", async () => {
  const { admin, server } = await newOrgWithMailbox()
  const email = newGuest()
  const { body } = await admin.client.post('/v1/members', { email, role: 'qa' })
  assert.equal(body.mailed, true)
  const mailed = tokenIn(await letterTo(server, email))
  assert.equal(mailed, body.token)
  assert.equal((await anonymous.post(`/v1/invitations/${mailed}`, { password })).body.member.verified, false)
})

test("the link of a person in another org goes by the platform alone, never by the org's mailbox (I-287, ID-76, ID-78, T-33)", async () => {
  const { admin, server: orgServer } = await newOrgWithMailbox()
  const { email } = await (await deployment.newOrg()).person('qa')
  const silent = await admin.client.post('/v1/members', { email, role: 'qa' })
  assert.deepEqual([silent.body.token, silent.body.link, silent.body.mailed], [null, null, false])
  await admin.client.delete(`/v1/members/${silent.body.member.id}`)

  await withPlatformMailbox(async (server) => {
    const { body } = await admin.client.post('/v1/members', { email, role: 'qa' })
    assert.deepEqual([body.token, body.link, body.mailed], [null, null, true])
    const accepted = await anonymous.post(`/v1/invitations/${tokenIn(await letterTo(server, email))}`, {
      password,
    })
    assert.deepEqual([accepted.status, accepted.body.member.verified], [200, true])
  })
  assert.equal(orgServer.letters().filter(({ envelope }) => envelope.to.includes(email)).length, 0)
})

test("the operator's handed link proves the address only while the platform cannot mail (ID-74)", async () => {
  const org = await deployment.newOrg()
  const invite = async () =>
    (await operator.post(`/v1/ops/orgs/${org.slug}/members`, { email: newGuest() })).body
  const accept = async (token: string) =>
    (await anonymous.post(`/v1/invitations/${token}`, { password })).body.member.verified
  assert.equal(await accept((await invite()).token), true)
  await withPlatformMailbox(async () => assert.equal(await accept((await invite()).token), false))
})

test('a reset by an admin is handed and mailed as an invitation is (I-282, ID-74, ID-98)', async () => {
  await withPlatformMailbox(async (server) => {
    const org = await deployment.newOrg()
    const { client } = await org.person('admin')
    const target = await org.person('qa')
    const { body } = await client.post(`/v1/members/${target.id}/reset`)
    assert.equal(body.mailed, true)
    const letter = await until('the letter is there', () =>
      server
        .letters()
        .find(
          ({ envelope, headers }) =>
            envelope.to.includes(target.email) && /new password/.test(headers['subject'] ?? ''),
        ),
    )
    const accepted = await anonymous.post(`/v1/invitations/${tokenIn(letter)}`, {
      password: 'a new password',
    })
    assert.deepEqual([accepted.body.member.id, accepted.body.member.verified], [target.id, true])
    refused(
      await anonymous.post(`/v1/invitations/${body.token}`, { password }),
      404,
      'that link is spent or was never made',
    )
  })
})

test('a link of a provider-only org sets nothing and stays, and names the provider (ID-82, T-41)', async () => {
  const org = await deployment.newOrg()
  const invited = await org.invite(newGuest(), 'qa')
  await org.requireProvider()
  const sentence = `${org.slug} signs in with its provider: /v1/login/sso?org=${org.slug}`
  refused(await anonymous.post(`/v1/invitations/${invited.token}`, { password: '' }), 403, sentence)
  refused(await anonymous.post(`/v1/invitations/${invited.token}`, { password }), 403, sentence)
  const { rows } = await deployment.sql('select status from members where id = $1', [invited.id])
  assert.deepEqual(rows, [{ status: 'invited' }])
  await deployment.sql('delete from identity_providers where org = $1', [org.id])
  assert.equal((await anonymous.post(`/v1/invitations/${invited.token}`, { password })).status, 200)
})
