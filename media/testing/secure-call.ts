import type { TestContext } from 'node:test'
import { sine } from '@switchroom/audio/testing/tones'
import { RtpLeg } from '../src/rtp/rtp-leg.ts'
import type { SipDialog, SipOptions } from '../src/sip/server.ts'
import type { Encryption } from '../src/srtp/media-security.ts'
import { freeUdpPort } from './free-udp-port.ts'
import { never, openFence, startSip, trunkTo } from './sip-peer.ts'

/** The sound of a call, whose ports are free. */
export const legOf = async (t: TestContext, dialog: SipDialog): Promise<RtpLeg> => {
  const leg = await RtpLeg.open(dialog.terms, {
    hangUp: () => dialog.bye(),
    transfer: (to) => dialog.refer(to),
    press: (key) => dialog.sendInfoTone(key),
    tellSound: (sound) => dialog.tellSound(sound),
    ended: dialog.ended,
  })
  dialog.onInfoTone((key) => leg.press(key))
  dialog.onTermsChanged((terms, isHeld) => leg.updateTerms(terms, isHeld))
  t.after(() => leg.hangUp())
  return leg
}

/** A server whose calls have ports that are free. */
export async function soundServer(t: TestContext, options: Partial<SipOptions> = {}) {
  const ports = await Promise.all([freeUdpPort(), freeUdpPort(), freeUdpPort()])
  const calls: Promise<SipDialog>[] = []
  const under = await startSip({ allocatePort: () => ports.pop() ?? 0, ...options }, (invite) => {
    const accepted = invite.accept()
    accepted.catch(() => {})
    calls.push(accepted)
  })
  t.after(() => under.server.stop())
  return { ...under, calls }
}

/** Two of ours, one of which calls the other: what both ends have of their sound. */
export async function securedCall(
  t: TestContext,
  dialling: Encryption | undefined,
  answering: Encryption | undefined,
) {
  const fences = [{ ...openFence, ...(answering && { encryption: answering }) }]
  const far = await soundServer(t, { fences: () => fences })
  const near = await soundServer(t)
  const trunk = { ...trunkTo(far.server.port), ...(dialling && { encryption: dialling }) }
  const dialled = await near.server.invite('+34911222333', trunk, '+34600111222', never)
  const answered = await far.calls[0]
  if (!answered) throw new Error('the call did not come')
  return { near: dialled, far: answered }
}

const tone = sine(440)

/** Speaks until the test is over. */
export function speak(t: TestContext, leg: RtpLeg): void {
  const speaking = setInterval(() => void leg.play(tone), 20)
  t.after(() => clearInterval(speaking))
}

/** Resolves once this many frames with sound were heard. */
export async function hears(leg: RtpLeg, frames = 10): Promise<void> {
  let loud = 0
  for await (const frame of leg.heard()) {
    if (frame.some((sample) => Math.abs(sample) > 1_000)) loud += 1
    if (loud >= frames) return
  }
  throw new Error('the leg ended')
}
