import { newId } from '../../foundation/secrets.ts'

const prefix = 'eval_'

/** The id of a call that nobody makes but a run of scenarios; no caller's call begins so. */
export const newTestCallId = () => newId('eval', 12)

/** Whether a call is a test, wherever only its id is at hand; its record says the same. */
export const isTestCall = (id: string) => id.startsWith(prefix)
