import { randomBytes } from 'node:crypto'
import { startThrowawayPostgres } from '@switchroom/launcher/postgres'
import { freePort } from '@switchroom/launcher/testing/free-port'
import { startProcess } from './processes.ts'

export interface BenchDeployment extends AsyncDisposable {
  /** Where the gateway listens. */
  url: string
  pid: number
  databaseUrl: string
  /** A person's key. */
  makeKey: () => Promise<string>
}

/** The gateway as it ships, in a process of its own, on a database that is gone afterwards. */
export async function startBenchDeployment(): Promise<BenchDeployment> {
  const postgres = await startThrowawayPostgres()
  const databaseUrl = postgres.url('postgres')
  const port = await freePort()
  const operatorKey = `svc_op_${randomBytes(32).toString('base64url')}`
  const gateway = await startProcess('gateway/src/main.ts', {
    SVC_DATABASE_URL: databaseUrl,
    SVC_PORT: String(port),
    SVC_VAULT_KEY: randomBytes(32).toString('base64'),
    SVC_OPERATOR_KEY: operatorKey,
  })
  const url = `http://127.0.0.1:${port}`
  return {
    url,
    pid: gateway.pid,
    databaseUrl,
    makeKey: () => makeKey(url, operatorKey),
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await postgres.stop()
    },
  }
}

async function makeKey(base: string, operatorKey: string): Promise<string> {
  const post = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${operatorKey}`, 'content-type': 'application/json' }
    const answer = await fetch(base + path, { method: 'POST', headers, body: JSON.stringify(body) })
    return (await answer.json()) as { token: string; key: string }
  }
  await post('/v1/ops/orgs', { slug: 'bench' })
  const { token } = await post('/v1/ops/orgs/bench/members', {
    email: 'bench@example.com',
    role: 'developer',
  })
  return (await post(`/v1/invitations/${token}`, { password: 'correct horse battery' })).key
}
