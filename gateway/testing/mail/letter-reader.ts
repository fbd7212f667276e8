export interface Letter {
  /** By their lower-case names, decoded; a header that comes twice is joined by a line break. */
  headers: Record<string, string>
  text: string
  html: string
  raw: string
}

/** Reads a letter of plain text and its twin in HTML, as it came over the wire. */
export function readLetter(raw: string): Letter {
  const { headers, body } = readPart(raw)
  const boundary = /boundary="([^"]+)"/.exec(headers['content-type'] ?? '')?.[1] ?? ''
  const parts = body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => readPart(part.slice('\r\n'.length)))
  const bodyOf = (type: string) => {
    const part = parts.find((each) => each.headers['content-type']?.startsWith(type))
    return part ? decodeBody(part.body, part.headers['content-transfer-encoding']) : ''
  }
  return { headers, text: bodyOf('text/plain'), html: bodyOf('text/html'), raw }
}

function readPart(raw: string): { headers: Record<string, string>; body: string } {
  const end = raw.indexOf('\r\n\r\n')
  const headers: Record<string, string> = {}
  const unfolded = raw.slice(0, end).replaceAll(/\r\n[ \t]+/g, ' ')
  for (const line of unfolded.split('\r\n')) {
    const [, name = '', value = ''] = /^([^:]+): ?(.*)$/s.exec(line) ?? []
    const key = name.toLowerCase()
    headers[key] = headers[key] === undefined ? decodeWords(value) : `${headers[key]}\n${decodeWords(value)}`
  }
  return { headers, body: raw.slice(end + 4) }
}

function decodeBody(body: string, encoding = '7bit'): string {
  const bytes =
    encoding === 'base64'
      ? Buffer.from(body, 'base64')
      : encoding === 'quoted-printable'
        ? quotedBytes(body.replaceAll('=\r\n', ''))
        : Buffer.from(body)
  return bytes.toString().replaceAll('\r\n', '\n')
}

/** `=?utf-8?Q?…?=` and `=?utf-8?B?…?=`; white space between two of them does not count. */
function decodeWords(value: string): string {
  return value
    .replaceAll(/\?=\s+=\?/g, '?==?')
    .replaceAll(/=\?[^?]+\?([QB])\?([^?]*)\?=/gi, (_word, kind: string, text: string) =>
      (kind.toUpperCase() === 'B'
        ? Buffer.from(text, 'base64')
        : quotedBytes(text.replaceAll('_', ' '))
      ).toString(),
    )
}

const quotedBytes = (text: string) =>
  Buffer.from(
    text.replaceAll(/=([0-9A-F]{2})/gi, (_quoted, hex: string) =>
      String.fromCodePoint(Number.parseInt(hex, 16)),
    ),
    'latin1',
  )
