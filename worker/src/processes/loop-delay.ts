import { monitorEventLoopDelay } from 'node:perf_hooks'

const resolutionMs = 20
const tellEveryMs = 10_000

/** Tells how late the event loop was at most, every ten seconds in which there is work. */
export function watchLoopDelay(
  isBusy: () => boolean,
  tell: (longestMs: number) => void,
  everyMs = tellEveryMs,
) {
  const delays = monitorEventLoopDelay({ resolution: resolutionMs })
  let isMeasuring = false
  let dueMs = performance.now() + everyMs
  setInterval(() => {
    const lateMs = performance.now() - dueMs // the measurement itself does not see a delay that ends here
    // a recorded delay includes the interval of the timer that measures it
    if (isMeasuring) tell(Math.max(0, lateMs, delays.max / 1e6 - resolutionMs))
    isMeasuring = isBusy()
    if (isMeasuring) delays.enable()
    else delays.disable()
    delays.reset()
    dueMs = performance.now() + everyMs
  }, everyMs).unref()
}
