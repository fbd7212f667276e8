/** What every format is read into: headings, and the text below them in pieces that belong together. A line, as of a list, follows the one before it. */
export type Block =
  | { kind: 'heading'; level: number; text: string }
  | { kind: 'text'; text: string; isLine?: true }
  /** Never joined with its neighbours, such as a row of a table with its column names. */
  | { kind: 'row'; text: string }

/** The document cannot be read; the message is a sentence for the person who added it. */
export class UnreadableDocument extends Error {}

/** What no reader can see, and what PostgreSQL cannot hold. */
const invisible = /(?![\t\n])[\p{Cc}\u00ad\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\ufeff\ufff0-\uffff]/gu

export const clean = (text: string) => text.toWellFormed().replace(invisible, '').normalize('NFC')

/** In one line. */
export const oneLine = (text: string) => clean(text.replace(/\s+/g, ' ')).trim()
