import { startBenchDeployment } from '../deployment.ts'
import { BenchBases } from './bench-base.ts'
import { recall } from './recall.ts'
import { searchSpeed } from './speed.ts'

const largest = { chunks: 100_000, others: 999 }

/** How well and how fast bases are searched. */
export async function knowledge(): Promise<boolean> {
  await using deployment = await startBenchDeployment({ SVC_LOG_LEVEL: 'warn' })
  const org = (await deployment.ask('POST', '/v1/ops/orgs', { slug: 'bench' })).id as string
  await using bases = new BenchBases(deployment.databaseUrl, org)
  const isRight = await recall(bases)
  return (await searchSpeed(bases, largest)) && isRight
}
