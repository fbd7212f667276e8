import { Type } from 'typebox'

/** What a PBX sends for an agent. */
export const extensionForm = /^\d{1,8}$/

/** An extension of a PBX that is dialled: a 0 or more digits would dial out of it. */
export const sipExtensionForm = /^[1-9]\d{1,5}$/

/** Who is dialled at a PBX by name, as in `sip:desk@pbx.example`. */
export const sipNameForm = /^[a-z][\w.-]{0,63}$/i

/** What reaches no extension, but the emergency services, at any PBX; also after the 9 of an outside line. */
export const isEmergency = (digits: string): boolean => /^9?(?:112|911|999)$/.test(digits)

/** A number that is routed, in a path: E.164, or an extension at its account, as `201@acme`. */
export const RoutedNumberParams = Type.Object({
  number: Type.String({
    pattern: String.raw`^(?:\+[1-9][0-9]{6,14}|[0-9]{1,8}@[\w.+@!~*-]{1,64})$`,
    description: 'E.164, or an extension at its account, as 201@acme',
  }),
})

/** What is dialled or called of a number: of `201@acme` or `desk@acme` what is before the account. */
export const withoutAccount = (number: string): string => /^([\w.-]{1,64})@/.exec(number)?.[1] ?? number
