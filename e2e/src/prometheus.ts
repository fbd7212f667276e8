import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterwards, temporaryFolder, type Lasting } from '@switchroom/launcher/testing/folders'
import { freePort } from '@switchroom/launcher/testing/free-port'
import { until } from '@switchroom/launcher/testing/waiting'
import { pathOf } from '@switchroom/tools/debian-packages'

interface Sample {
  metric: Record<string, string>
  value: [number, string]
}

/** Prometheus as Debian ships it, which scrapes these ports of this machine every second. */
export class Prometheus {
  readonly #url: string

  private constructor(url: string) {
    this.#url = url
  }

  static async start(t: Lasting, ports: Record<string, number>): Promise<Prometheus> {
    const folder = temporaryFolder(t)
    const config = {
      global: { scrape_interval: '1s' },
      scrape_configs: Object.entries(ports).map(([job, port]) => ({
        job_name: job,
        static_configs: [{ targets: [`127.0.0.1:${port}`] }],
      })),
    }
    const file = join(folder, 'prometheus.yaml')
    writeFileSync(file, JSON.stringify(config))
    const at = `127.0.0.1:${await freePort()}`
    const child = spawn(
      pathOf('prometheus'),
      [
        `--config.file=${file}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=${at}`,
        '--log.level=error',
      ],
      { stdio: 'ignore', cwd: folder },
    )
    const ended = once(child, 'exit')
    afterwards(t, async () => {
      child.kill('SIGKILL')
      await ended
    })
    const url = `http://${at}`
    const isReady = () =>
      fetch(`${url}/-/ready`).then(
        ({ ok }) => ok,
        () => false,
      )
    await until('Prometheus is ready', isReady, 60_000)
    return new Prometheus(url)
  }

  /** What the query has now; rejects if it does not parse. */
  async query(expr: string): Promise<Sample[]> {
    const response = await fetch(`${this.#url}/api/v1/query`, {
      method: 'POST',
      body: new URLSearchParams({ query: expr }),
    })
    const { status, error, data } = (await response.json()) as {
      status: string
      error?: string
      data: { result: Sample[] }
    }
    if (status !== 'success') throw new Error(`${expr}: ${error}`)
    return data.result
  }
}
