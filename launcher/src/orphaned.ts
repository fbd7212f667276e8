const lookEveryMs = 1000

/** Calls back when the parent process is gone: npm forwards signals of the terminal, but not its own end. */
export function onOrphaned(call: () => void): void {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    call()
  }, lookEveryMs)
  timer.unref()
}
