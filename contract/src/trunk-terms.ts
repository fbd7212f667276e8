import { Type, type Static } from 'typebox'
import { oneOf } from './shapes.ts'

export const sipTransports = ['udp', 'tcp', 'tls'] as const
export type SipTransport = (typeof sipTransports)[number]

export const encryptions = ['off', 'offered', 'required'] as const
export type Encryption = (typeof encryptions)[number]

export const referForms = ['sip', 'tel'] as const
export type ReferForm = (typeof referForms)[number]

/** `diversion`: a caller who is brought to another person keeps their number, and Diversion names the one they called. */
export const identities = ['none', 'p_asserted_identity', 'diversion'] as const
export type Identity = (typeof identities)[number]

export const numberForms = ['e164', 'plain', 'national'] as const
export type NumberForm = (typeof numberForms)[number]

/** How a SIP peer proves that a call is its own: by its password, or by its network alone. */
export const inboundProofs = ['digest', 'ip'] as const
export type InboundProof = (typeof inboundProofs)[number]

/** How a trunk writes numbers. */
const numbering = {
  number_form: Type.Optional(oneOf(numberForms)),
  country_code: Type.Optional(Type.String({ description: 'of national numbers, without +' })),
  trunk_prefix: Type.Optional(Type.String({ description: 'before a national number, such as 0' })),
  international_prefix: Type.Optional(
    Type.String({ description: 'before a number of another country; default 00' }),
  ),
}

/** What holds for calls in both directions. Without `encryption` callers get what they ask for, and dials go without. */
const bothWays = {
  encryption: Type.Optional(oneOf(encryptions)),
  from_domain: Type.Optional(Type.String({ description: 'the host in From' })),
  refer_to: Type.Optional(oneOf(referForms)),
  ...numbering,
}

/** What a fence says of the calls that come through it, beside who may send them. */
export const FenceTerms = Type.Object({
  ...bothWays,
  registered_as: Type.Optional(
    Type.String({ description: 'the user that a worker registers at the peer: calls may ask for it' }),
  ),
})
export type FenceTerms = Static<typeof FenceTerms>

/** What a trunk says of the calls that are dialled through it, beside where it is. */
export const TrunkTerms = Type.Object({
  ...bothWays,
  identity: Type.Optional(oneOf(identities)),
  ca_certificates: Type.Optional(
    Type.String({ description: 'PEM: whom TLS trusts instead of the public CAs' }),
  ),
  client_certificate: Type.Optional(Type.String({ description: 'PEM: what TLS shows to the far end' })),
  client_key: Type.Optional(Type.String({ description: 'PEM' })),
})
export type TrunkTerms = Static<typeof TrunkTerms>

/** A trunk as the worker that dials through it gets it. */
export const Trunk = Type.Object({
  hostname: Type.String(),
  transport: oneOf(sipTransports),
  auth_username: Type.String({ description: 'empty if the far end asks for no proof' }),
  auth_password: Type.String(),
  ...TrunkTerms.properties,
})
export type Trunk = Static<typeof Trunk>
