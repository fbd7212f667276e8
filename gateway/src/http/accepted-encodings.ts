/** The encodings that an `accept-encoding` header names, without those that it refuses. */
export const acceptedEncodings = (header = ''): Set<string | undefined> =>
  new Set(header.toLowerCase().split(',').filter(isWanted).map(nameOf))

const nameOf = (accepted: string) => accepted.split(';', 1)[0]?.trim()
const isWanted = (accepted: string) => !/;\s*q=0(?:\.0*)?\s*$/.test(accepted)
