import { type ChildProcess, spawn } from 'node:child_process'
import { createServer } from 'node:net'
import type { LiveKitAddress } from '../src/livekit/server.ts'
import { freeUdpPort } from './free-udp-port.ts'

/** The real LiveKit server on loopback, from the program that `SVC_TEST_LIVEKIT` names. */
export class LiveKitProgram {
  readonly address: LiveKitAddress
  readonly #process: ChildProcess

  private constructor(program: ChildProcess, address: LiveKitAddress) {
    this.#process = program
    this.address = address
  }

  static get path(): string | undefined {
    return process.env['SVC_TEST_LIVEKIT'] || undefined
  }

  static async start(path: string): Promise<LiveKitProgram> {
    const [port, tcpPort, udpPort] = [await freeTcpPort(), await freeTcpPort(), await freeUdpPort()]
    const [key, secret] = ['devkey', 'a-secret-of-the-media-server-that-is-long-enough']
    const config = {
      port,
      bind_addresses: ['127.0.0.1'],
      rtc: { tcp_port: tcpPort, udp_port: udpPort, node_ip: '127.0.0.1', enable_loopback_candidate: true },
      keys: { [key]: secret },
      logging: { level: 'error' },
    }
    const program = spawn(path, ['--config-body', JSON.stringify(config)], { stdio: 'inherit' })
    const url = `http://127.0.0.1:${port}`
    await answering(url, program)
    return new LiveKitProgram(program, { url, key, secret })
  }

  async stop(): Promise<void> {
    const gone = new Promise((resolve) => this.#process.once('exit', resolve))
    this.#process.kill('SIGKILL')
    await gone
  }
}

async function answering(url: string, program: ChildProcess): Promise<void> {
  while (program.exitCode === null) {
    const answer = await fetch(url).catch(() => undefined)
    if (answer?.ok) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('the LiveKit server did not start')
}

async function freeTcpPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address ? address.port : 0
}
