import { randomBytes } from 'node:crypto'
import { startThrowawayPostgres, type ThrowawayOptions } from '@switchroom/launcher/postgres'
import { freePort } from '@switchroom/launcher/testing/free-port'
import { startProcess } from './processes.ts'

// A bench reads what it needs of an answer; whether answers have their shapes is for tests to say.
// oxlint-disable-next-line typescript/no-explicit-any
export type OperatorAnswer = any

export interface BenchDeployment extends BenchGateway {
  databaseUrl: string
  /** A person's key. */
  makeKey: () => Promise<string>
}

interface BenchDatabase {
  postgres?: ThrowawayOptions
  /** Done before the gateway starts. */
  prepare?: (databaseUrl: string) => Promise<void>
}

/** The gateway as it ships, in a process of its own, on a database that is gone afterwards. */
export async function startBenchDeployment(
  settings: Record<string, string> = {},
  { postgres: options = {}, prepare = async () => {} }: BenchDatabase = {},
): Promise<BenchDeployment> {
  const postgres = await startThrowawayPostgres(options)
  const databaseUrl = postgres.url('postgres')
  try {
    await prepare(databaseUrl)
  } catch (error) {
    await postgres.stop()
    throw error
  }
  const gateway = await startBenchGateway(databaseUrl, secretsOfDeployment(), settings)
  return {
    ...gateway,
    databaseUrl,
    makeKey: () => makeKey(gateway.ask),
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await postgres.stop()
    },
  }
}

export interface BenchGateway extends AsyncDisposable {
  /** Where it listens. */
  url: string
  pid: number
  /** What the operator asks of it. */
  ask: (method: string, path: string, body?: object) => Promise<OperatorAnswer>
}

/** What all gateways of a deployment are started with. */
export const secretsOfDeployment = () => ({
  SVC_VAULT_KEY: randomBytes(32).toString('base64'),
  SVC_OPERATOR_KEY: `svc_op_${randomBytes(32).toString('base64url')}`,
})

/** One of the gateways on a database; of another release if its folder is given. */
export async function startBenchGateway(
  databaseUrl: string,
  secrets: ReturnType<typeof secretsOfDeployment>,
  settings: Record<string, string> = {},
  folder?: string,
): Promise<BenchGateway> {
  const port = await freePort()
  const environment = {
    SVC_DATABASE_URL: databaseUrl,
    SVC_PORT: String(port),
    SVC_DASHBOARD_PORT: '0',
    SVC_METRICS_PORT: '0',
    SVC_SIGN_IN_TRIES_PER_PLACE: '1000000', // a bench comes from one place
    SVC_MAX_CONNECTIONS_PER_ADDRESS: '100000',
    SVC_MAX_CONNECTIONS: '100000',
    ...secrets,
    ...settings,
  }
  const gateway = await startProcess('gateway/src/main.ts', environment, folder)
  const url = `http://127.0.0.1:${port}`
  return {
    url,
    pid: gateway.pid,
    ask: async (method, path, body) => {
      const headers = {
        authorization: `Bearer ${secrets.SVC_OPERATOR_KEY}`,
        'content-type': 'application/json',
      }
      const answer = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
      if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status} ${await answer.text()}`)
      return answer.json()
    },
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  }
}

async function makeKey(ask: BenchDeployment['ask']): Promise<string> {
  await ask('POST', '/v1/ops/orgs', { slug: 'bench' })
  const invited = { email: 'bench@example.com', role: 'developer' }
  const { token } = await ask('POST', '/v1/ops/orgs/bench/members', invited)
  return (await ask('POST', `/v1/invitations/${token}`, { password: 'correct horse battery' })).key
}
