import { RtpLeg } from '@switchroom/media/rtp/rtp-leg'
import type { SipDialog } from '@switchroom/media/sip/server'

const echoForMs = 30_000

/** The sound of a call that no agent has. */
export async function openLeg(dialog: SipDialog): Promise<RtpLeg> {
  const leg = await RtpLeg.open(dialog.terms, {
    hangUp: () => dialog.bye(),
    transfer: (to) => dialog.refer(to),
    ended: dialog.ended,
    tellSound: (sound) => dialog.tellSound(sound),
  })
  dialog.onTermsChanged((terms, isHeld) => leg.updateTerms(terms, isHeld))
  return leg
}

/** Says back what the caller says, until they hang up or half a minute is over. */
export async function echo(dialog: SipDialog): Promise<void> {
  const leg = await openLeg(dialog)
  const end = setTimeout(() => void leg.hangUp().catch(() => {}), echoForMs)
  try {
    for await (const frame of leg.heard()) await leg.play(frame)
  } finally {
    clearTimeout(end)
    await leg.hangUp().catch(() => {})
  }
}
