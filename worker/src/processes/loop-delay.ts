import { monitorEventLoopDelay } from 'node:perf_hooks'

const resolutionMs = 20
const tellEveryMs = 10_000

/** Tells how late the event loop was at most, every ten seconds in which there is work. */
export function watchLoopDelay(isBusy: () => boolean, tell: (longestMs: number) => void) {
  const delays = monitorEventLoopDelay({ resolution: resolutionMs })
  setInterval(() => {
    if (isBusy()) {
      delays.enable()
      // a recorded delay includes the interval of the timer that measures it
      if (delays.count > 0) tell(Math.max(0, delays.max / 1e6 - resolutionMs))
    } else delays.disable()
    delays.reset()
  }, tellEveryMs).unref()
}
