import { Type } from 'typebox'

/** A contact of an org: a number such as +34911234567, or a platform's own id of them. */
export const ContactParams = Type.Object({ contact: Type.String() })
