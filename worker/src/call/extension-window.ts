import type { Sound } from '@switchroom/contract/sound'
import { setTimeout as sleep } from 'node:timers/promises'

const longest = 32

/** What is pressed while the window is open; `#` closes it early. */
export async function collectDigits(sound: Sound, windowMs: number, over: AbortSignal): Promise<string> {
  let digits = ''
  const closed = new AbortController()
  sound.onTone((digit) => {
    if (closed.signal.aborted) return
    if (digit !== '#' && digits.length < longest && /^[0-9*]$/.test(digit)) digits += digit
    if (digit === '#') closed.abort()
  })
  const signal = AbortSignal.any([closed.signal, over])
  await sleep(windowMs, undefined, { signal }).catch(() => {})
  closed.abort()
  return digits
}
