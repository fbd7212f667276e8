import { fileURLToPath } from 'node:url'

/** The folder of this package: in the checkout the one above `src`, installed the one above the built files. */
export const packageFolder = fileURLToPath(new URL('..', import.meta.url))
