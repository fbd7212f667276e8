import { spawn } from 'node:child_process'
import { createHmac, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { connect } from 'node:tls'
import { pathOf } from '@switchroom/tools/debian-packages'
import { generate } from 'selfsigned'
import { freeUdpPort } from './free-udp-port.ts'

const secret = 'north'

/** coturn, which takes what the secret signed, over UDP, TCP and TLS. */
export class TurnServer {
  readonly #port: number
  readonly #tlsPort: number
  readonly stop: () => Promise<void>

  private constructor(ports: [number, number], stop: () => Promise<void>) {
    ;[this.#port, this.#tlsPort] = ports
    this.stop = stop
  }

  static async start(): Promise<TurnServer> {
    const folder = await mkdtemp(join(tmpdir(), 'switchroom-turn-'))
    const [port, tlsPort] = [await freePort(), await freePort()]
    const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }])
    await writeFile(join(folder, 'cert.pem'), cert)
    await writeFile(join(folder, 'key.pem'), key, { mode: 0o600 })
    const options = [
      'no-cli',
      'no-stdout-log',
      'fingerprint',
      'realm=switchroom.test',
      'use-auth-secret',
      `static-auth-secret=${secret}`,
      'allow-loopback-peers',
      'listening-ip=127.0.0.1',
      `listening-port=${port}`,
      `tls-listening-port=${tlsPort}`,
      `relay-ip=${ownAddress()}`,
      'simple-log',
      `log-file=${join(folder, 'log')}`,
      `cert=${join(folder, 'cert.pem')}`,
      `pkey=${join(folder, 'key.pem')}`,
      `pidfile=${join(folder, 'pid')}`,
      `userdb=${join(folder, 'users')}`,
    ]
    const flags = ['-n', ...options.map((option) => `--${option}`)]
    const program = spawn(pathOf('turnserver'), flags, { stdio: 'ignore', cwd: folder })
    const gone = new Promise((resolve) => program.once('exit', resolve))
    await untilServes(tlsPort, cert)
    return new TurnServer([port, tlsPort], async () => {
      program.kill('SIGKILL')
      await gone
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    })
  }

  /** As a gateway hands it to a page. */
  iceServer(over: 'udp' | 'tcp' | 'tls') {
    const url = over === 'tls' ? `turns:localhost:${this.#tlsPort}` : `turn:127.0.0.1:${this.#port}`
    const username = `${Math.floor(Date.now() / 1_000) + 600}:call_1`
    const credential = createHmac('sha1', secret).update(username).digest('base64')
    return { urls: [`${url}?transport=${over === 'udp' ? 'udp' : 'tcp'}`], username, credential }
  }
}

/** It relays from there, to the sockets of a worker on this machine. */
const ownAddress = () =>
  Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1'

/** Free for UDP and for TCP, and so no server of another test. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = await freeUdpPort()
    const probe = createServer().listen(port, '127.0.0.1')
    const isFree = await once(probe, 'listening').then(
      () => true,
      () => false,
    )
    probe.close()
    if (isFree) return port
  }
}

/** Waits until the server with this certificate is there. */
async function untilServes(port: number, certificate: string): Promise<void> {
  const wanted = new X509Certificate(certificate).fingerprint256
  while ((await fingerprintAt(port)) !== wanted) await pause(50)
}

const fingerprintAt = (port: number) =>
  new Promise<string | undefined>((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().fingerprint256)
      socket.destroy()
    }).on('error', () => resolve(undefined))
  })
