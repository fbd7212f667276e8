const bindingRequest = 0x0001
const magicCookie = 0x2112a442
const headerBytes = 20
const usernameAttribute = 0x0006
const longestUsername = 513

/** Whom a connectivity check is for and from (`ours:theirs`, RFC 8445); undefined if this is none. */
export function usernameOf(packet: Buffer): string | undefined {
  if (packet.length < headerBytes) return undefined
  if (packet.readUInt16BE(0) !== bindingRequest || packet.readUInt32BE(4) !== magicCookie) return undefined
  let at = headerBytes
  while (at + 4 <= packet.length) {
    const [type, length] = [packet.readUInt16BE(at), packet.readUInt16BE(at + 2)]
    const value = packet.subarray(at + 4, at + 4 + length)
    if (type === usernameAttribute)
      return value.length === length && length <= longestUsername ? value.toString('latin1') : undefined
    at += 4 + length + ((4 - (length % 4)) % 4)
  }
  return undefined
}
