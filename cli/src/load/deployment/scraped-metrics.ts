import { reasonOf, wrongUsage } from '../../terminal/failures.ts'

const withinMs = 5_000
const mostBytes = 8 * 1024 * 1024

/** What says how a process of the deployment does; what it does not expose is left out. */
const wanted = new Set([
  'process_cpu_seconds_total',
  'process_resident_memory_bytes',
  'nodejs_eventloop_lag_p99_seconds',
  'nodejs_eventloop_lag_max_seconds',
])

/** The deployment's own figures, from the address of its GET /metrics. */
export class ScrapedMetrics {
  readonly #url: URL

  constructor(address: string) {
    const url = URL.canParse(address) ? new URL(address) : undefined
    if (!url || !/^https?:$/.test(url.protocol))
      throw wrongUsage(`--metrics ${address} is not an address, such as http://127.0.0.1:8083/metrics`)
    if (url.pathname === '/') url.pathname = '/metrics'
    this.#url = url
  }

  /** Refuses an address that exposes nothing. */
  async refuseUnreadable(): Promise<void> {
    try {
      await this.#read()
    } catch (error) {
      throw wrongUsage(
        `${this.#url.href} shows no metrics (${reasonOf(error)}): check --metrics, or leave it out`,
      )
    }
  }

  /** Null if it did not answer: a report can do without. */
  read(): Promise<Record<string, number> | null> {
    return this.#read().catch(() => null)
  }

  async #read(): Promise<Record<string, number>> {
    const answer = await fetch(this.#url, { signal: AbortSignal.timeout(withinMs) })
    if (!answer.ok) throw new Error(`it answered ${answer.status}`)
    return metricsIn((await answer.text()).slice(0, mostBytes))
  }
}

/** Sums over labels, of the metrics that are wanted. */
export function metricsIn(text: string): Record<string, number> {
  const found: Record<string, number> = {}
  for (const line of text.split('\n')) {
    const [, name = '', value = ''] = /^([a-z_]\w{0,200})(?:\{[^}]{0,2000}\})? (\S{1,40})/.exec(line) ?? []
    if (wanted.has(name) && Number.isFinite(Number(value))) found[name] = (found[name] ?? 0) + Number(value)
  }
  if (Object.keys(found).length === 0) throw new Error('no metric of a Switchroom process is in it')
  return found
}
