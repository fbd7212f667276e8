import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { sine } from '@switchroom/audio/testing/tones'
import { until } from '@switchroom/launcher/testing/waiting'
import type { MediaTerms } from '@switchroom/media/rtp/media-terms'
import { playSentence } from '@switchroom/media/rtp/play-sentence'
import { RtpLeg } from '@switchroom/media/rtp/rtp-leg'
import type { SipDialog } from '@switchroom/media/sip/server'
import { callCertificate } from '@switchroom/media/srtp/certificate'
import { freeUdpPort } from '@switchroom/media/testing/free-udp-port'
import { hears } from '@switchroom/media/testing/secure-call'
import { signalledOf } from '@switchroom/media/testing/shaking-hands'
import type { CallTask, FromProcess } from '../process-messages.ts'
import { CallProcessHandle } from './call-process-handle.ts'
import { HeldPort } from './held-port.ts'
import { PhoneLegs } from './phone-legs.ts'

const program = join(import.meta.dirname, '..', '..', 'testing', 'tone-process.ts')

/** Two ends that find their keys in a handshake. */
async function shakenTerms(): Promise<{ phone: MediaTerms; ours: MediaTerms }> {
  const [phonePort, ourPort] = [await freeUdpPort(), await freeUdpPort()]
  const [phoneCertificate, ourCertificate] = [callCertificate(), callCertificate()]
  const usual = {
    localAddress: '127.0.0.1',
    remoteAddress: '127.0.0.1',
    signalledFrom: '127.0.0.1',
    codec: 'PCMU',
    payloadType: 0,
    tonePayloadType: 101,
    ptimeMs: 20,
  } as const
  return {
    phone: {
      ...usual,
      localPort: phonePort,
      remotePort: ourPort,
      security: {
        kind: 'dtls',
        role: 'client',
        fingerprints: signalledOf(ourCertificate),
        certificate: phoneCertificate,
      },
    },
    ours: {
      ...usual,
      localPort: ourPort,
      remotePort: phonePort,
      security: {
        kind: 'dtls',
        role: 'server',
        fingerprints: signalledOf(phoneCertificate),
        certificate: ourCertificate,
      },
    },
  }
}

const quiet = { hangUp: async () => {}, transfer: async () => {}, ended: new Promise<never>(() => {}) }

test('a handshake that began before the process had the port is finished there, and a caller of a lost process still hears a sentence under its keys', async (t) => {
  const child = fork(program)
  t.after(() => child.kill('SIGKILL'))
  const legs = new PhoneLegs()
  const pressed: string[] = []
  let areKeysKnown = false
  child.on('message', (message: FromProcess | { type: 'tone'; digit: string }) => {
    if (message.type === 'leg.opened') legs.opened(message.leg, message.failure)
    if (message.type === 'tone') pressed.push(message.digit)
    if (message.type !== 'leg.keys') return
    legs.keepKeys(message.leg, message.keys)
    areKeysKnown = true
  })
  await once(child, 'spawn')
  const process = new CallProcessHandle(child)
  const { phone, ours } = await shakenTerms()
  const held = new HeldPort()
  await held.bind(ours)
  const caller = await RtpLeg.open(phone, quiet)
  t.after(() => caller.hangUp())
  await new Promise((resolve) => setTimeout(resolve, 100)) // its first words are kept
  await legs.open({ leg: 'leg_1', call: 'call_1', process }, ours, held)
  const dialog = {
    terms: ours,
    onTermsChanged: () => {},
    onInfoTone: () => {},
    ended: new Promise(() => {}),
  } as unknown as SipDialog
  legs.add('leg_1', 'call_1', dialog, process)
  process.send({ type: 'run', task: { kind: 'phone', leg: 'leg_1', terms: ours } as CallTask })
  await until('the process has its keys', () => areKeysKnown, 30_000)
  await caller.sendTones('5')
  await until('the key was heard', () => pressed.includes('5'), 30_000)

  const isOver = once(child, 'exit')
  child.kill('SIGKILL')
  await isOver
  const lost = legs.release('leg_1')
  assert.equal(lost?.terms.security?.kind, 'sdes')
  const heard = hears(caller)
  await playSentence(lost.terms, Int16Array.from(Array.from({ length: 50 }, () => [...sine(440)]).flat()))
  await heard
})
