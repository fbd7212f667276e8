export interface Letter {
  /** By their lower-case names, decoded; a header that comes twice is joined by a line break. */
  headers: Record<string, string>
  text: string
  raw: string
}

/** Reads a letter of one plain text part, as it came over the wire. */
export function readLetter(raw: string): Letter {
  const end = raw.indexOf('\r\n\r\n')
  const headers: Record<string, string> = {}
  for (const line of raw
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n')) {
    const [, name = '', value = ''] = /^([^:]+): ?(.*)$/s.exec(line) ?? []
    const key = name.toLowerCase()
    headers[key] = headers[key] === undefined ? decodeWords(value) : `${headers[key]}\n${decodeWords(value)}`
  }
  return { headers, text: decodeBody(raw.slice(end + 4), headers['content-transfer-encoding']), raw }
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
