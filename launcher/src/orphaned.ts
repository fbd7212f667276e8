const lookEveryMs = 1000

/** Calls once whoever started this process is gone: npm passes on what a terminal sends, but not its own end. */
export function onOrphaned(call: () => void): void {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    call()
  }, lookEveryMs)
  timer.unref()
}
