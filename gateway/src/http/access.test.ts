import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  environments,
  roles,
  scopesOfRole,
  serverTokenScopes,
  type Environment,
  type Scope,
} from '@switchroom/contract/scopes'
import type { Client } from '../../testing/client.ts'
import { fleetKey, operatorKey, startDeployment } from '../../testing/deployment.ts'
import { newSecret } from '../foundation/secrets.ts'
import type { Access } from './access.ts'

/** What a credential is, in the terms of the documents; the code under test is not asked. */
interface Credential {
  name: string
  client: Client
  opens?: 'nothing' | 'ops'
  kind?: 'person' | 'server'
  env?: Environment
  scopes?: readonly Scope[]
  production?: boolean
  operator?: boolean
}

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const credentials: Credential[] = []

before(async () => {
  const { nobody, sql, newOrg } = deployment
  const org = await newOrg()
  const add = (credential: Credential) => credentials.push(credential)

  add({ name: 'none', client: nobody, opens: 'nothing' })
  add({ name: 'invented', client: nobody.as(newSecret('svc_live_')), opens: 'nothing' })
  add({ name: 'fleet', client: nobody.as(fleetKey), opens: 'nothing' })
  add({ name: "the platform's own key", client: nobody.as(operatorKey), opens: 'ops' })

  const revoked = await org.person('admin')
  await sql('update keys set revoked_at = now() where member = $1', [revoked.id])
  add({ name: 'revoked', client: revoked.client, opens: 'nothing' })
  const expired = await org.serverToken('sandbox', {
    expires_at: new Date(Date.now() + 60_000).toISOString(),
  })
  await sql(`update keys set expires_at = now() - interval '1 second' where id = $1`, [expired.key_id])
  add({ name: 'expired', client: expired.client, opens: 'nothing' })

  for (const env of environments) {
    const { client } = await org.serverToken(env)
    add({ name: `${env} server token`, client, kind: 'server', env, scopes: serverTokenScopes })
  }
  for (const role of roles)
    for (const production of [true, false]) {
      if (role === 'admin' && !production) continue // an admin always opens production
      const { client } = await org.person(role, { production })
      add({
        name: `${role}, production ${production}`,
        client,
        kind: 'person',
        scopes: scopesOfRole[role],
        production,
      })
    }
  const { client } = await org.person('qa', { operator: true, production: true })
  add({
    name: 'a person made operator',
    client,
    kind: 'person',
    scopes: scopesOfRole.qa,
    production: true,
    operator: true,
  })
})

/** The status the declared access gives this credential, or undefined when it lets it pass. */
function refusalOf(access: Access, credential: Credential, env: Environment | undefined): number | undefined {
  if (access.kind === 'open') return undefined
  if (credential.opens === 'nothing') return 401
  if (credential.opens === 'ops') return access.kind === 'operator' ? undefined : 401
  if (credential.kind === 'server' && env !== undefined && env !== credential.env) return 403
  if (credential.kind === 'person' && env === 'production' && !credential.production) return 403
  if (access.kind === 'operator') return credential.operator ? undefined : 403
  if (access.kind !== 'key' && access.kind !== 'scope' && credential.kind !== 'person') return 403
  const wanted = 'anyOf' in access ? access.anyOf : undefined
  return !wanted || wanted.some((scope) => credential.scopes?.includes(scope)) ? undefined : 403
}

const refusalOfAccess = /this key|this door|this token|no production access|doors are shut|takes an API key/

test('every route answers every kind of credential in every environment as its access declares (I-007, I-009, I-019, I-451, I-470, I-494, ID-05, ID-32, ID-34, ID-49, T-22, T-59, T-60)', async () => {
  const { routes } = deployment.gateway.server
  for (const { method, path, access } of routes.all) {
    const url = path.replaceAll(/:\w+/g, 'nobody')
    for (const credential of credentials)
      for (const env of [undefined, ...environments]) {
        const client = env ? credential.client.in(env) : credential.client
        const answer = await client.send(method, url)
        const expected = refusalOf(access, credential, env)
        const asked = `${method} ${path} as ${credential.name} in ${env ?? 'no environment'}: ${answer.status} ${answer.text.slice(0, 200)}`
        if (expected !== undefined) assert.equal(answer.status, expected, asked)
        else
          assert.ok(
            answer.status !== 401 && !(answer.status === 403 && refusalOfAccess.test(answer.text)),
            asked,
          )
        assert.ok(answer.status < 500, asked)
      }
  }
})

test('of an unset operator key the doors of the operator are shut for everybody (ID-33, ID-05)', async () => {
  await using shut = await deployment.another({ SVC_OPERATOR_KEY: '' })
  const sentence = "the operator's doors are shut on this deployment: set SVC_OPERATOR_KEY"
  const operators = shut.gateway.server.routes.all.filter(
    ({ access, method }) => access.kind === 'operator' && method !== 'HEAD',
  )
  assert.ok(operators.length > 5)
  for (const { method, path } of operators)
    for (const key of [operatorKey, 'invented']) {
      const answer = await shut.nobody.as(key).send(method, path.replaceAll(/:\w+/g, 'nobody'))
      assert.deepEqual([answer.status, answer.body], [404, { detail: sentence }])
    }
})
