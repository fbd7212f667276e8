/** Exit statuses for scripts. */
export const exitCodes = {
  done: 0,
  refused: 1,
  usage: 2,
  notSignedIn: 3,
  unreachable: 4,
  interrupted: 130,
} as const

export const exitCodeMeanings: [code: number, meaning: string][] = [
  [exitCodes.done, 'done'],
  [exitCodes.refused, 'refused by the gateway; the reason is on stderr'],
  [exitCodes.usage, 'wrong usage'],
  [exitCodes.notSignedIn, 'not signed in, or the key no longer works'],
  [exitCodes.unreachable, 'the gateway or the voice server cannot be reached'],
  [exitCodes.interrupted, 'interrupted'],
]
