import { randomBytes } from 'node:crypto'

/** `req_` and 24 hex digits. */
export const newRequestId = () => `req_${randomBytes(12).toString('hex')}`
