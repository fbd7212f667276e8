/** Splits at a character that is outside of quotes and angle brackets. */
export function splitOutside(text: string, separator: string): string[] {
  const parts: string[] = []
  let [start, isQuoted, isBracketed] = [0, false, false]
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (isQuoted) {
      if (char === '\\') at++
      else if (char === '"') isQuoted = false
    } else if (char === '"') isQuoted = true
    else if (char === '<') isBracketed = true
    else if (char === '>') isBracketed = false
    else if (char === separator && !isBracketed) {
      parts.push(text.slice(start, at).trim())
      start = at + 1
    }
  }
  parts.push(text.slice(start).trim())
  return parts
}

export type Params = ReadonlyMap<string, string>

const unquoted = (text: string) =>
  text.startsWith('"') && text.endsWith('"') && text.length > 1
    ? text.slice(1, -1).replaceAll(/\\(.)/gs, '$1')
    : text

/** `;a=b;c` or, with another separator, `a=b, c="d"`; the first of a name counts. */
export function readParams(text: string, separator = ';'): Params {
  const params = new Map<string, string>()
  for (const part of splitOutside(text, separator)) {
    if (part === '') continue
    const equals = part.indexOf('=')
    const name = (equals === -1 ? part : part.slice(0, equals)).trim().toLowerCase()
    if (!params.has(name)) params.set(name, equals === -1 ? '' : unquoted(part.slice(equals + 1).trim()))
  }
  return params
}

export interface SipUri {
  scheme: 'sip' | 'sips' | 'tel'
  /** Unescaped; empty if there is none. */
  user: string
  host: string
  port: number | null
  params: Params
}

const hostPort = /^(\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(?::(\d{1,5}))?$/i

export function readHostPort(text: string): { host: string; port: number | null } | null {
  const found = hostPort.exec(text)
  if (!found?.[1]) return null
  const port = found[2] === undefined ? null : Number(found[2])
  if (port !== null && (port === 0 || port > 65_535)) return null
  return { host: found[1].replaceAll(/[[\]]/g, '').toLowerCase(), port }
}

function unescaped(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

/** Null for what is no `sip:`, `sips:` or `tel:` address. */
export function readUri(text: string): SipUri | null {
  const found = /^(sips?|tel):(\S+)$/i.exec(text)
  const scheme = found?.[1]?.toLowerCase() as SipUri['scheme'] | undefined
  if (!scheme || !found?.[2]) return null
  const [address = ''] = scheme === 'tel' ? [found[2]] : found[2].split('?')
  const at = address.lastIndexOf('@')
  const [rest = '', ...params] = address.slice(at + 1).split(';')
  if (scheme === 'tel')
    return { scheme, user: rest, host: '', port: null, params: readParams(params.join(';')) }
  const place = readHostPort(rest)
  // A number's own parameters (`+34911;phone-context=…`) and a password are in the user part.
  const [name = ''] = at === -1 ? [''] : address.slice(0, at).split(/[:;]/)
  const user = unescaped(name)
  return place && user !== null ? { scheme, user, ...place, params: readParams(params.join(';')) } : null
}

export interface NameAddress {
  /** As it came, to be sent back. */
  uri: string
  tag: string
  params: Params
}

/** `"Ana" <sip:ana@host>;tag=1` or `sip:ana@host;tag=1`. */
export function readNameAddress(text: string): NameAddress | null {
  const [first = ''] = splitOutside(text, ';')
  const open = first.endsWith('>') ? first.lastIndexOf('<') : -1
  const uri = open === -1 ? first : first.slice(open + 1, -1).trim()
  if (uri === '' || /[\s<>"]/.test(uri)) return null
  const params = readParams(text.slice(text.indexOf(first) + first.length))
  return { uri, tag: params.get('tag') ?? '', params }
}

export interface Via {
  protocol: string
  host: string
  port: number | null
  branch: string
  params: Params
}

export function readVia(text: string): Via | null {
  const found = /^SIP\s*\/\s*2\.0\s*\/\s*([a-z-]{1,16})\s+([^;\s][^;]*)(;.*)?$/is.exec(text)
  const place = readHostPort(found?.[2]?.replaceAll(/\s/g, '') ?? '')
  if (!place) return null
  const params = readParams(found?.[3] ?? '')
  return { protocol: found?.[1]?.toUpperCase() ?? '', ...place, branch: params.get('branch') ?? '', params }
}
