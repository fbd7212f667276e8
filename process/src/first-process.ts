import { constants } from 'node:os'

const signals = ['SIGTERM', 'SIGINT'] as const

const end = (signal: NodeJS.Signals) => process.exit(128 + constants.signals[signal])

/** While a program starts: the kernel withholds signals from the first process of a container that has no handler. */
export function endOnSignals(): void {
  if (process.pid === 1) for (const signal of signals) process.on(signal, end)
}

/** From here on the program handles them itself. */
export function handOverSignals(): void {
  for (const signal of signals) process.off(signal, end)
}
