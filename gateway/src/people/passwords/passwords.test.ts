import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused, type Answer } from '../../../testing/client.ts'
import { startDeployment, testEnvironment } from '../../../testing/deployment.ts'
import { readSettings } from '../../foundation/settings.ts'

const deployment = await startDeployment({ SVC_PASSWORD_QUEUE: '4' })
after(() => deployment[Symbol.asyncDispose]())
const { anonymous } = deployment

const full = 'this gateway is checking too many passwords at the moment: try again in 5 seconds'
let last = 0
const signIn = () =>
  anonymous.post('/v1/login', { email: `stranger-${(last += 1)}@example.com`, password: 'guessed' })
const statuses = (answers: Answer[]) => Map.groupBy(answers, ({ status }) => status)

test('a storm of sign-ins fills the queue of passwords and no more: the rest is 503 and may come again (ID-69)', async () => {
  const { client } = await (await deployment.newOrg()).person('qa')
  const storm = Array.from({ length: 60 }, signIn)
  const whoami = await client.get('/v1/whoami')
  assert.equal(whoami.status, 200)
  const answers = statuses(await Promise.all(storm))
  assert.deepEqual(new Set(answers.keys()), new Set([401, 503]))
  assert.ok((answers.get(401) ?? []).length >= 6, 'two at once and four that wait')
  for (const answer of answers.get(503) ?? []) {
    refused(answer, 503, full)
    assert.equal(answer.headers.get('retry-after'), '5')
  }
  assert.equal((await signIn()).status, 401, 'the queue is empty again')
})

test('an invitation that meets a full queue is not spent (ID-69)', async () => {
  const org = await deployment.newOrg()
  const invited = await Promise.all(
    Array.from({ length: 30 }, (_, n) => org.invite(`guest-${n}-${org.slug}@example.com`, 'qa')),
  )
  const accept = ({ token }: { token: string | null }) =>
    anonymous.post(`/v1/invitations/${token}`, { password: 'correct horse', device: 'laptop' })
  const answers = await Promise.all(invited.map(accept))
  const refusedOnes = invited.filter((_, n) => answers[n]?.status === 503)
  assert.ok(refusedOnes.length > 0)
  for (const invitation of refusedOnes) assert.equal((await accept(invitation)).status, 200)
})

test('100 passwords wait by default, and the operator changes it', () => {
  const queueOf = (value: string) =>
    readSettings(testEnvironment('postgresql://x', { SVC_PASSWORD_QUEUE: value })).limits.passwordQueue
  assert.deepEqual([queueOf(''), queueOf('7')], [100, 7])
})
