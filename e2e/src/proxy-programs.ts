import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort, isOpen } from '@switchroom/gateway/testing/ports'
import { until } from '@switchroom/gateway/testing/until'
import { afterwards, temporaryFolder, type Lasting } from '@switchroom/launcher/testing/folders'
import { pathOf, type TestProgram } from '@switchroom/tools/debian-packages'
import { root } from './launch.ts'

const shipped = (file: string) => readFileSync(join(root, 'deploy/proxies', file), 'utf8')

interface Rewritten {
  port: number
  gateways: readonly string[]
  folder: string
}

export interface ProxyProgram {
  program: Extract<TestProgram, 'nginx' | 'haproxy' | 'caddy'>
  /** The shipped file with this machine's addresses, and without the certificate. */
  configuration: (at: Rewritten) => string
  words: (file: string) => string[]
}

/** The first and the second address of an example become those of the gateways. */
const withGateways = (text: string, gateways: readonly string[]) =>
  ['10.0.0.11:8080', '10.0.0.12:8080'].reduce(
    (changed, example, at) => changed.replaceAll(example, gateways[at] ?? ''),
    text,
  )

export const proxyPrograms: readonly ProxyProgram[] = [
  {
    program: 'nginx',
    configuration: ({ port, gateways, folder }) => {
      const server = withGateways(shipped('nginx.conf'), gateways)
        .replace('listen 443 ssl;', `listen 127.0.0.1:${port};`)
        .replaceAll(/^ *ssl_.*$/gm, '')
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      const paths = temporary.map((kind) => `${kind}_temp_path ${folder}/${kind};`).join(' ')
      return `daemon off; worker_processes 1; pid ${folder}/pid; error_log stderr;
        events {} http { access_log off; ${paths} ${server} }`
    },
    words: (file) => ['-c', file, '-e', 'stderr'],
  },
  {
    program: 'haproxy',
    configuration: ({ port, gateways }) =>
      withGateways(shipped('haproxy.cfg'), gateways).replace(/^( *bind) .*$/m, `$1 127.0.0.1:${port}`),
    words: (file) => ['-db', '-f', file],
  },
  {
    program: 'caddy',
    configuration: ({ port, gateways }) =>
      `{\n\tadmin off\n}\n${shipped('Caddyfile')
        .replaceAll(/^(\w+\.)?\{\$SVC_DOMAIN\}/gm, `http://$1localhost:${port}`)
        .replaceAll('dynamic a gateway 8080', `to ${gateways.join(' ')}`)}`,
    words: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
  },
]

/** Runs the proxy in front of these gateways; answers its address. */
export async function startProxy(
  t: Lasting,
  { program, configuration, words }: ProxyProgram,
  gateways: readonly string[],
): Promise<string> {
  const folder = temporaryFolder(t)
  chmodSync(folder, 0o755)
  const port = await freePort()
  const file = join(folder, 'configuration')
  writeFileSync(file, configuration({ port, gateways, folder }))
  const running = spawn(pathOf(program), words(file), {
    env: { PATH: process.env['PATH'], HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [running.stdout, running.stderr]) stream.on('data', (piece) => (said += String(piece)))
  afterwards(t, async () => {
    if (running.exitCode !== null) return
    running.kill('SIGTERM')
    await once(running, 'exit')
  })
  await until(`${program} listens`, () => {
    if (running.exitCode !== null) throw new Error(`${program} ended: ${said}`)
    return isOpen(port)
  })
  return `http://localhost:${port}`
}
