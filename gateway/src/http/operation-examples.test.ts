import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startDeployment } from '../../testing/deployment.ts'
import { DescribedApi } from '../../testing/http/described-api.ts'
import { examples } from './operation-examples.ts'

const deployment = await startDeployment({ SVC_DOMAIN: 'switchroom.test' })
after(() => deployment[Symbol.asyncDispose]())
const { operator, anonymous } = deployment
const api = await DescribedApi.read(anonymous)

test('each example of the description is taken by a gateway as it stands, and its answer is of the shape described', async () => {
  const sent = new Set<string>()
  const send = async (client = anonymous, id = '', parameters: Record<string, string> = {}) => {
    sent.add(id)
    return (await api.sendExample(client, id, parameters)).body
  }
  const org = 'bakery'
  const asOperator = (id: string, parameters: Record<string, string> = {}) =>
    send(operator, id, { org, ...parameters })

  await asOperator('createOrg')
  for (const id of ['replaceOrgQuotas', 'replaceOrgAccount', 'changeOrgDialLimits', 'createOrgServerToken'])
    await asOperator(id)
  await asOperator('changeBrand')
  const { token } = await asOperator('inviteOrgMember')
  await send(anonymous, 'acceptInvitation', { token })
  const { key } = await send(anonymous, 'signIn')
  const ana = anonymous.as(key)
  await send(anonymous, 'listOrgsOfPassword')
  await send(anonymous, 'requestPasswordReset')
  await send(ana, 'switchOrg')
  const { code } = await send(anonymous, 'startPairing')
  await send(ana, 'approvePairing', { code })

  const invited = await send(ana, 'inviteMember')
  await send(ana, 'changeMember', { id: invited.member.id })
  await send(ana.in('production'), 'createServerToken')
  const agent = { agent: 'desk' }
  for (const id of ['setSettings', 'setCanary', 'rollBackSettings', 'setLexicon']) await send(ana, id, agent)
  await send(ana, 'openCall')
  const scenario = await send(ana, 'createScenario')
  await send(ana, 'changeScenario', { id: scenario.id })
  await send(ana, 'setProviderKey', { vendor: 'openai' })

  await send(ana, 'setCarrier')
  const { route } = await send(ana, 'importNumber')
  await send(ana, 'setNumberFallbacks', { number: route.number })
  await send(ana, 'moveNumber', { number: route.number })
  await asOperator('routeNumber')
  for (const id of ['changeDialPolicy', 'recordConsent', 'importDoNotCall']) await send(ana, id)

  assert.deepEqual([...sent].toSorted(), Object.keys(examples).toSorted())
})

test('what lists and reads without a parameter answers in the shape described', async () => {
  const org = await deployment.newOrg()
  const { client } = await org.person('admin', { production: true })
  const readable = api.operations.filter(
    ({ method, path, parameters = [], responses, servers }) =>
      method === 'get' &&
      !path.includes('{') &&
      !servers &&
      parameters.every(({ $ref, in: place }) => $ref !== undefined || place === 'query') &&
      responses['200']?.content?.['application/json'],
  )
  assert.ok(readable.length > 30)
  let held = 0
  for (const { operationId, path, security } of readable) {
    const isOperators = security.some((one) => 'operatorKey' in one)
    const answer = await (isOperators ? operator : client).get(path)
    if (answer.status !== 200) continue // it asks for a parameter, or for what this deployment does not have
    api.holdToDescription(operationId, answer)
    held += 1
  }
  assert.ok(held > 25, `only ${held} answered`)
})
