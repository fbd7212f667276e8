/** A marker speaks of the log and is none of its entries: it carries no id, and so moves nobody's cursor. */
const marker = (fields: { type: string; [name: string]: unknown }) =>
  Buffer.from(`event: ${fields.type}\ndata: ${JSON.stringify(fields)}\n\n`)

/** The reader has everything that was kept before it came. */
export const caughtUp = (seq: number) => marker({ type: 'log.caught_up', seq })

/** The first and the last that are missing. */
export const gap = (from: number, to: number) => marker({ type: 'log.gap', from, to })
