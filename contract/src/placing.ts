import { Type, type Static } from 'typebox'
import { SentConsent } from './consents.ts'
import { CarrierRoute } from './media-plane.ts'
import { EnvironmentName } from './scope-schemas.ts'
import { nullable } from './shapes.ts'
import { Trunk } from './trunk-terms.ts'

/** Whether the dialling client wants to read the call's log, and for how long. */
const WantedLog = Type.Unsafe<boolean | Record<string, unknown>>({
  type: ['boolean', 'object'],
  additionalProperties: true,
  description:
    'true for a `log_token` that works until an hour after the call; `{ttl_s}` for one that works 60 to 86400 seconds from now',
})

export const DialCall = Type.Object({
  to: Type.Optional(Type.String({ description: 'the number to call, as +15550100100' })),
  extension: Type.Optional(
    Type.String({
      description: 'in place of to: an extension or a name at a SIP account of the org, as 105 or desk',
    }),
  ),
  account: Type.Optional(
    Type.String({
      description: 'of the extension; default: the account that from lives in, else the only SIP account',
    }),
  ),
  from: Type.Optional(Type.String({ description: "one of the agent's numbers; default: its first" })),
  log: Type.Optional(WantedLog),
  consent: Type.Optional(SentConsent),
  metadata: Type.Optional(
    Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: 'handed to the agent as `call.metadata`; at most 4096 bytes of JSON',
    }),
  ),
})
export type DialCall = Static<typeof DialCall>

export const DialledCall = Type.Object({
  call: Type.String(),
  agent: Type.String(),
  to: Type.String(),
  from: Type.String(),
  env: EnvironmentName,
  log_token: nullable(
    Type.String({ description: "opens this call's log and nothing else; shown here alone" }),
  ),
})
export type DialledCall = Static<typeof DialledCall>

const LiveCall = Type.String({ description: 'the live call of the agent' })

export const TrunkAsked = Type.Object({
  to: Type.String(),
  call: LiveCall,
  from: Type.Optional(Type.String()),
})
export type TrunkAsked = Static<typeof TrunkAsked>

export const TrunkForLeg = Type.Object({
  trunk: Trunk,
  from: Type.String(),
  to: Type.String(),
  call: Type.String(),
  max_duration_s: Type.Integer(),
  caller: Type.Optional(
    Type.String({
      description: 'the number of the caller who is forwarded: a trunk of the identity `diversion` shows it',
    }),
  ),
  fallbacks: Type.Optional(
    Type.Array(CarrierRoute, { description: 'to try in this order if the trunk cannot carry the leg' }),
  ),
})
export type TrunkForLeg = Static<typeof TrunkForLeg>

/** `sip:desk@pbx.example`: without parameters and headers, which would make a PBX do more than dial. */
export const sipAddressForm = /^sips?:([\w.+-]{1,64})@([a-z0-9.-]{1,253})(?::\d{1,5})?$/i

export const TransferAsked = Type.Object({
  to: Type.String({
    description: "a number; of the org's own SIP account also an extension or a SIP address",
  }),
  call: LiveCall,
})
export type TransferAsked = Static<typeof TransferAsked>

export const TransferAllowed = Type.Object({ call: Type.String(), to: Type.String() })
export type TransferAllowed = Static<typeof TransferAllowed>
