/** The reason as agents see it: a call that could not be placed has failed. */
export const reasonForAgents = (reason: unknown) =>
  typeof reason === 'string' && reason !== 'dial_failed' ? reason : 'failed'
