import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { pathOf } from '@switchroom/tools/debian-packages'
import { freeUdpPort } from './free-udp-port.ts'

const modules = ['g711', 'g722', 'opus', 'srtp', 'dtls_srtp', 'aubridge']

export interface Baresip {
  readonly port: number
  readonly said: () => string
  /** Types into it. */
  type: (command: string) => void
}

/** A softphone that answers every call, and says back what it hears. `encryption` is baresip's own word for it. */
export async function startBaresip(
  t: TestContext,
  encryption: string,
  {
    address = '127.0.0.1',
    codec = 'PCMU/8000/1',
    account: accountMore = '',
    commands = [] as string[],
    settings: more = [] as string[],
  } = {},
): Promise<Baresip> {
  const port = await freeUdpPort()
  const folder = mkdtempSync(join(tmpdir(), 'baresip-'))
  const host = address.includes(':') ? `[${address}]` : address
  const settings = [
    `sip_listen ${host}:${port}`,
    'sip_trans_def udp',
    'audio_player aubridge,one',
    'audio_source aubridge,one',
    'audio_alert aubridge,other',
    'call_max_calls 4',
    'rtp_ports 33000-60000',
    'module_path /usr/lib/baresip/modules',
    ...['stdio', ...modules].map((module) => `module ${module}.so`),
    'module_tmp account.so',
    'module_app menu.so',
    ...more,
  ]
  writeFileSync(join(folder, 'config'), `${settings.join('\n')}\n`)
  const account = `<sip:peer@${host}:${port}>;regint=0;answermode=auto;audio_codecs=${codec}${encryption && `;mediaenc=${encryption}`}${accountMore}`
  writeFileSync(join(folder, 'accounts'), `${account}\n`)
  writeFileSync(join(folder, 'contacts'), '')
  const family = address.includes(':') ? '-6' : '-4'
  const typed = commands.flatMap((command) => ['-e', command])
  const child = spawn(pathOf('baresip'), ['-f', folder, family, '-t', '60', ...typed], {
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let said = ''
  const isReady = new Promise<void>((resolve) => {
    const hear = (bytes: Buffer) => {
      said = (said + bytes.toString()).slice(-20_000)
      if (said.includes('baresip is ready')) resolve()
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    child.once('exit', () => resolve())
  })
  const isOver = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  t.after(async () => {
    child.kill('SIGKILL')
    await isOver
    rmSync(folder, { recursive: true, force: true })
  })
  await isReady
  return { port, said: () => said, type: (command) => child.stdin.write(command) }
}
