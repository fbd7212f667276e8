import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { LoadReport } from '@switchroom/cli/load/reports/load-report'
import { startThrowawayPostgres } from '@switchroom/launcher/postgres'
import { freePort } from '@switchroom/launcher/testing/free-port'
import { secretsOfDeployment, startBenchGateway } from './deployment.ts'
import { root, startProcess } from './processes.ts'
import { judge, say } from './report.ts'

const appSecret = 'bench'
const holdS = 30

/** What one machine is to carry that also runs the generator, the database and the speech; see docs/load.md. */
const profiles: [profile: string, args: string[]][] = [
  ['chats', ['--at-once', '200', '--every', '5s', '--ramp', '10s']],
  ['webhooks', ['--rate', '100/s', '--ramp', '10s']],
  ['dials', ['--at-once', '6', '--every', '6s']],
  ['calls', ['--at-once', '2', '--every', '8s', '--target', 'p95=4s']],
  ['mixed', ['--at-once', '20', '--every', '6s', '--target', 'calls.p95=4s', '--target', 'chats.p95=1.5s']],
]

/** `svc load` with each of its profiles against a deployment on this machine. */
export async function load(): Promise<boolean> {
  await using parts = new AsyncDisposableStack()
  const postgres = await startThrowawayPostgres()
  parts.defer(() => postgres.stop())
  const secrets = secretsOfDeployment()
  const fleetKey = `svc_fleet_${randomBytes(32).toString('base64url')}`
  const near = { SVC_FLEET_KEY: fleetKey, SVC_PRIVATE_NETWORKS: '127.0.0.0/8', SVC_LOG_LEVEL: 'warn' }
  const gateway = parts.use(
    await startBenchGateway(postgres.url('postgres'), secrets, {
      SVC_DOMAIN: 'bench.example',
      SVC_MSGAPP_APP_SECRET: appSecret,
      SVC_MSGAPP_VERIFY_TOKEN: 'bench',
      ...near,
    }),
  )
  const sipPort = String(await freePort())
  parts.use(
    await startProcess('worker/src/main.ts', {
      SVC_GATEWAY_URL: gateway.url,
      SVC_SIP_PORT: sipPort,
      ...near,
    }),
  )
  const environment = {
    SVC_GATEWAY_URL: gateway.url,
    SVC_KEY: secrets.SVC_OPERATOR_KEY,
    SVC_MSGAPP_APP_SECRET: appSecret,
  }
  let isKept = true
  for (const [profile, args] of profiles) {
    const sip = profile === 'calls' || profile === 'mixed' ? ['--sip', `127.0.0.1:${sipPort}`] : []
    const report = await loadOnce(environment, ['--profile', profile, ...sip, '--hold', `${holdS}s`, ...args])
    isKept = sayOf(report) && isKept
  }
  return isKept
}

async function loadOnce(environment: Record<string, string>, args: string[]): Promise<LoadReport> {
  const child = spawn(
    process.execPath,
    [join(root, 'cli/bin/svc.mjs'), 'load', ...args, '--report', 'json'],
    {
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const [printed] = await Promise.all([text(child.stdout), once(child, 'exit')])
  return JSON.parse(printed) as LoadReport
}

function sayOf({ profile, steps, targets, verdict, reasons, failures }: LoadReport): boolean {
  const held = steps.at(-1)
  for (const [series, seen] of Object.entries(held?.series ?? {})) {
    const { p50 = Number.NaN, p95 = Number.NaN, p99 = Number.NaN } = seen.latency_ms ?? {}
    const times = [p50, p95, p99].map((ms) => Math.round(ms)).join(', ')
    say(
      `  ${profile}: ${series} ${seen.per_s.toFixed(1)} a second, p50, p95, p99 in ms ${times}, ${seen.failed} of ${seen.done + seen.failed} failed`,
    )
  }
  for (const { count, series, sentence } of failures) say(`  ${count} × ${series}: ${sentence}`)
  for (const reason of reasons) say(`  ${reason}`)
  say(
    `  ${profile}: the generator was late by ${Math.round(held?.generator.p99_ms ?? 0)} ms (p99) and used ${held?.generator.cores.toFixed(2)} cores`,
  )
  const broken = targets.filter((target) => target.verdict === 'broken').length
  return judge(`${profile}: targets that are broken (${verdict})`, broken, { atMost: 0 })
}
