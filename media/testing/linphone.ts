import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { sine } from '@switchroom/audio/testing/tones'
import { wavOf } from '@switchroom/audio/wav'
import { pathOf } from '@switchroom/tools/debian-packages'
import { freeUdpPort } from './free-udp-port.ts'
import { until } from './sip-peer.ts'

export interface Linphone {
  readonly port: number
  said: () => string
  type: (command: string) => void
  /** Whether anything sounded of what it has heard. */
  hasHeard: () => boolean
}

/** A softphone that answers every call unless a test says otherwise, says a tone and records what it hears. `encryption` is linphone's own word for it. */
export async function startLinphone(
  t: TestContext,
  encryption: 'none' | 'srtp' | 'dtls',
  isMandatory = encryption !== 'none',
  { sip = [] as string[], answers = true } = {},
): Promise<Linphone> {
  const [port, soundPort] = [await freeUdpPort(), await freeUdpPort()]
  const folder = mkdtempSync(join(tmpdir(), 'linphone-'))
  mkdirSync(join(folder, '.local', 'share', 'linphone'), { recursive: true })
  const settings = [
    '[sip]',
    `sip_port=${port}`,
    'sip_tcp_port=0',
    'sip_tls_port=0',
    'use_ipv6=0',
    `media_encryption=${encryption}`,
    `media_encryption_mandatory=${isMandatory ? 1 : 0}`,
    ...sip,
    '[rtp]',
    `audio_rtp_port=${soundPort}`,
    'prefer_ipv6=0',
  ]
  writeFileSync(join(folder, 'settings'), `${settings.join('\n')}\n`)
  const tone = Array.from({ length: 3_000 }, () => sine(440))
  writeFileSync(
    join(folder, 'tone.wav'),
    wavOf(Buffer.concat(tone.map((one) => Buffer.from(one.buffer))), 8_000),
  )
  const recorded = join(folder, 'heard.wav')
  const child = spawn(pathOf('linphonec'), [...(answers ? ['-a'] : []), '-c', join(folder, 'settings')], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, HOME: folder },
  })
  let said = ''
  const hear = (bytes: Buffer) => {
    said = (said + bytes.toString()).slice(-20_000)
  }
  child.stdout.on('data', hear)
  child.stderr.on('data', hear)
  const isOver = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  t.after(async () => {
    child.kill('SIGKILL')
    await isOver
    rmSync(folder, { recursive: true, force: true })
  })
  const type = (command: string) => void child.stdin.write(`${command}\n`)
  await until(() => said.includes('linphonec>'))
  type('soundcard use files')
  type(`play ${join(folder, 'tone.wav')}`)
  type(`record ${recorded}`)
  const hasHeard = () => {
    if (!existsSync(recorded)) return false
    const bytes = readFileSync(recorded).subarray(44)
    return Array.from({ length: bytes.length >> 1 }, (_, at) => bytes.readInt16LE(2 * at)).some(
      (sample) => Math.abs(sample) > 1_000,
    )
  }
  return { port, said: () => said, type, hasHeard }
}
