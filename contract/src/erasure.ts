import { Type } from 'typebox'

/** Somebody who spoke or wrote with an org: a number as +34911234567, or a platform's own id of them. */
export const ContactParams = Type.Object({ contact: Type.String() })
