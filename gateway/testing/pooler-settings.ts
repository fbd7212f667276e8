/** The port of a pooler on this machine that leads to every database of the test's server: see `over-pgbouncer.ts`. */
export const poolerVariable = 'TEST_POOLER_PORT'

/** The database of a test, over the pooler of the run if it has one. */
export function databaseSettings(
  databaseUrl: string,
  poolerPort = process.env[poolerVariable],
): Record<string, string> {
  if (poolerPort === undefined) return { SVC_DATABASE_URL: databaseUrl }
  return { SVC_DATABASE_URL: overPooler(databaseUrl, poolerPort), SVC_DATABASE_DIRECT_URL: databaseUrl }
}

function overPooler(databaseUrl: string, port: string): string {
  const url = new URL(databaseUrl)
  url.searchParams.delete('host')
  url.host = `127.0.0.1:${port}`
  return url.href
}
