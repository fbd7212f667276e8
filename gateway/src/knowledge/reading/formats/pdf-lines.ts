/** A piece of text where the page has it, as pdf.js tells. */
export interface PlacedText {
  str: string
  transform: number[]
  width: number
  height: number
  hasEOL: boolean
}

export interface Line {
  text: string
  /** Of the letters. */
  height: number
  /** From the bottom of the page. */
  y: number
}

/** Joins what stands on one line, with a space where the page leaves room for one. */
export function linesOf(items: readonly PlacedText[]): Line[] {
  const lines: Line[] = []
  let line: (Line & { end: number }) | undefined
  for (const { str, transform, width, height: itsHeight, hasEOL } of items) {
    const [, , , , x = 0, y = 0] = transform
    const height = itsHeight || Math.abs(transform[3] ?? 0)
    if (line && str.trim() !== '' && Math.abs(y - line.y) > Math.max(line.height, height) * 0.5)
      line = undefined
    if (str !== '') {
      if (!line) {
        line = { text: '', height: 0, y, end: x }
        lines.push(line)
      }
      const isApart = x - line.end > height * 0.2 && line.text !== '' && !/\s$/.test(line.text)
      line.text += (isApart && !/^\s/.test(str) ? ' ' : '') + str
      if (str.trim() !== '') line.height = Math.max(line.height, height)
      line.end = x + width
    }
    if (hasEOL) line = undefined
  }
  return lines.filter(({ text }) => text.trim() !== '')
}
