import { UnreadableDocument } from '../blocks.ts'

const notText = () => new UnreadableDocument('it is no text: choose the format that the file has')

/** By its byte order mark, else as UTF-8 if it is that, else as Windows-1252, which Latin-1 is a part of. */
export function decodeText(content: Buffer): string {
  const marked = markedEncoding(content)
  const text = marked === undefined ? decodeUnmarked(content) : new TextDecoder(marked).decode(content)
  if (text.includes('\0')) throw notText()
  return text.replace(/\r\n?/g, '\n')
}

function markedEncoding(content: Buffer): string | undefined {
  if (content[0] === 0xff && content[1] === 0xfe) return 'utf-16le'
  if (content[0] === 0xfe && content[1] === 0xff) return 'utf-16be'
  return undefined
}

function decodeUnmarked(content: Buffer): string {
  if (content.includes(0)) throw notText()
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content)
  } catch {
    return new TextDecoder('windows-1252').decode(content)
  }
}
