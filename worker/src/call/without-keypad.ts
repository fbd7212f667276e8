import type { Leg } from '@switchroom/media/leg'

/** Keys are a phone's alone: a browser that sends some presses none. */
export const withoutKeypad = (leg: Leg): Leg => ({
  sampleRate: leg.sampleRate,
  ended: leg.ended,
  get whyEnded() {
    return leg.whyEnded
  },
  get line() {
    return leg.line
  },
  get playedMs() {
    return leg.playedMs
  },
  heard: () => leg.heard(),
  play: (samples) => leg.play(samples),
  clear: () => leg.clear(),
  drained: () => leg.drained(),
  onTone: () => {},
  playBetween: (clip) => leg.playBetween?.(clip),
  sendTones: (digits) => leg.sendTones(digits),
  transfer: (to) => leg.transfer(to),
  hangUp: () => leg.hangUp(),
})
