// What the process that decodes a file and the one that asks for it have agreed on.

/** Sample rate of decoded audio: what transcribers take. */
export const decodedRate = 16_000

/** With all of its own runtime. A file that needs more is made to. */
export const mostMemoryBytes = 768 * 1024 * 1024

/** Where it says how it went, before it ends; one that ends without a word could not read its file either. */
export const outcomeFd = 3
export type Outcome = 'decoded' | 'unreadable' | 'tooLong'
