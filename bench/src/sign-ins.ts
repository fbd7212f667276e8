import { startBenchDeployment } from './deployment.ts'
import { judge, percentile, say } from './report.ts'

const atOnce = 50
const measuredMs = 6000

/** 50 people sign in at once, again and again; how long do the requests of everybody else take? */
export async function signIns(): Promise<boolean> {
  await using deployment = await startBenchDeployment()
  const key = await deployment.makeKey()
  const quiet = await whoamiTimes(deployment.url, key)
  const storm = new AbortController()
  const signing = Array.from({ length: atOnce }, (_, n) => keepSigningIn(deployment.url, n, storm.signal))
  const busy = await whoamiTimes(deployment.url, key)
  storm.abort()
  const tries = (await Promise.all(signing)).reduce((sum, count) => sum + count, 0)

  say(
    `  GET /v1/whoami alone: p50 ${percentile(quiet, 50).toFixed(1)} ms, p99 ${percentile(quiet, 99).toFixed(1)} ms`,
  )
  say(
    `  beside ${atOnce} sign-ins at once (${Math.round(tries / (measuredMs / 1000))} a second): p50 ${percentile(busy, 50).toFixed(1)} ms`,
  )
  return judge(`p99 in ms of GET /v1/whoami beside ${atOnce} sign-ins`, percentile(busy, 99), { atMost: 100 })
}

async function whoamiTimes(url: string, key: string): Promise<number[]> {
  const times: number[] = []
  const until = performance.now() + measuredMs
  while (performance.now() < until) {
    const before = performance.now()
    const answer = await fetch(`${url}/v1/whoami`, { headers: { authorization: `Bearer ${key}` } })
    await answer.arrayBuffer()
    if (answer.status !== 200) throw new Error(`whoami answered ${answer.status}`)
    times.push(performance.now() - before)
  }
  return times
}

/** An address of its own each time, so that every try costs a verification. */
async function keepSigningIn(url: string, who: number, signal: AbortSignal): Promise<number> {
  let tries = 0
  while (!signal.aborted) {
    const body = JSON.stringify({ email: `unknown-${who}-${tries}@example.com`, password: 'wrong' })
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${url}/v1/login`, { method: 'POST', headers, body })
    await answer.arrayBuffer()
    if (answer.status !== 401) throw new Error(`a wrong sign-in answered ${answer.status}`)
    tries += 1
  }
  return tries
}
