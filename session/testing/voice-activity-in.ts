import { VoiceDetection, windowMs, type VoiceActivity } from '../src/spoken/voice-activity.ts'

/** What the voice detection of a call says of these samples, which come in frames of 20 ms as fast as they are taken. */
export async function voiceActivityIn(samples: Int16Array, sampleRate: number): Promise<VoiceActivity[]> {
  const told: VoiceActivity[] = []
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const step = sampleRate / 50
  let windows = Math.floor((Math.floor(samples.length / step) * 20) / windowMs)
  const activity = (next: VoiceActivity) => {
    told.push(next)
    if (next.type !== 'window') return
    windows -= 1
    if (windows === 0) setImmediate(resolve) // a start or an end is reported with its window
  }
  const detection = new VoiceDetection({ sampleRate, frame: () => {}, activity, failed: reject })
  for (let at = 0; at + step <= samples.length; at += step) {
    detection.take(samples.slice(at, at + step))
    await new Promise((taken) => void setImmediate(taken))
  }
  await promise
  detection.close()
  return told
}
