const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
const wide =
  /^[\p{Emoji_Presentation}\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u
// oxlint-disable-next-line no-control-regex -- these are what it is about
const controls = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g

/** Untrusted text: control and direction characters become spaces. */
export const plain = (text: string) => text.replace(controls, ' ')

/** How many columns of a terminal the text takes. */
export function widthOf(text: string): number {
  let width = 0
  for (const { segment } of graphemes.segment(text)) width += wide.test(segment) ? 2 : 1
  return width
}

/** The text in so many columns at most, with … where something was left out. */
export function cut(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text
  let kept = ''
  let width = 1
  for (const { segment } of graphemes.segment(text)) {
    width += wide.test(segment) ? 2 : 1
    if (width > columns) break
    kept += segment
  }
  return `${kept}…`
}

export const padded = (text: string, columns: number) =>
  text + ' '.repeat(Math.max(0, columns - widthOf(text)))
