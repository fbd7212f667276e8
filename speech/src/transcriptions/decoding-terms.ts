// What the process that decodes a file and the one that asks for it have agreed on.

/** Samples a second of what is decoded: what ears hear with. */
export const decodedRate = 16_000

/** With all of its own runtime. A file that needs more is made to. */
export const mostMemoryBytes = 768 * 1024 * 1024

/** How it ends when it does not end well; anything else is unreadable, too. */
export const exits = { unreadable: 3, tooLong: 4 } as const
