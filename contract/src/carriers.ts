import { Type, type Static } from 'typebox'
import { DialGuards } from './dialling.ts'
import { DryRun } from './numbers.ts'
import { orNull } from './settings.ts'
import { registrationStates } from './media-plane.ts'
import { anyOf, nullable, oneOf } from './shapes.ts'
import {
  encryptions,
  identities,
  inboundProofs,
  numberForms,
  referForms,
  sipTransports,
} from './trunk-terms.ts'

export const carrierKinds = ['apicarrier', 'sip', 'msgapp'] as const
export type CarrierKind = (typeof carrierKinds)[number]

export const networkStates = ['waiting', 'approved', 'refused'] as const
export type NetworkState = (typeof networkStates)[number]

const kept = 'unchanged if absent'
const listed = ([first, ...others]: readonly string[]) => `one of ${first} (default), ${others.join(', ')}`
const clearable = (description: string) => Type.Optional(nullable(Type.String({ description })))
const clearableOf = (values: readonly string[], description: string) =>
  Type.Optional(nullable(Type.String({ description, means: { type: 'string', enum: values } })))

/** An account by its kind; of one that is held, what is not named stays. */
export const PutCarrier = Type.Object({
  kind: Type.Optional(anyOf(carrierKinds, 'default: follows from the fields')),
  label: Type.Optional(Type.String({ description: 'what people call it' })),

  account_sid: Type.Optional(Type.String({ description: 'apicarrier' })),
  user: Type.Optional(Type.String({ description: 'apicarrier: an API key id, or the account id again' })),
  secret: Type.Optional(Type.String({ description: 'apicarrier: write-only' })),

  username: Type.Optional(Type.String({ description: 'sip' })),
  password: Type.Optional(Type.String({ description: 'sip: write-only; not needed if auth is ip' })),
  auth: clearableOf(inboundProofs, `sip: how its calls prove themselves, ${listed(inboundProofs)}`),
  addresses: Type.Optional(
    Type.Array(Type.String(), {
      description: `sip: public IPv4 addresses or networks no wider than a /24; ${kept}`,
    }),
  ),
  outbound_host: clearable('sip: where the platform dials the peer, as host or host:port'),
  outbound_transport: clearableOf(sipTransports, `sip: one of ${sipTransports.join(', ')}; default udp`),
  outbound_username: clearable('sip: for outbound calls; default: the pair above'),
  outbound_password: clearable('sip: write-only, together with outbound_username'),
  encryption: clearableOf(
    encryptions,
    `sip: of the sound, one of ${encryptions.join(', ')}; default: off, and as the caller asks for inbound calls`,
  ),
  ca_certificates: clearable('sip: PEM; whom outbound TLS trusts instead of the public CAs'),
  client_certificate: clearable('sip: PEM; what outbound TLS shows to the peer'),
  client_key: clearable('sip: PEM, write-only, together with client_certificate'),
  register: Type.Optional(
    nullable(
      Type.Boolean({ description: 'sip: a worker registers username at outbound_host; needs auth ip' }),
    ),
  ),
  dial_extensions: Type.Optional(
    nullable(
      Type.Array(Type.String(), {
        description:
          'sip: the extensions and names that agents may dial there, as 105, 100-199 or desk; default none',
      }),
    ),
  ),
  from_domain: clearable('sip: the host in From; default: the address of the worker'),
  refer_to: clearableOf(referForms, `sip: how a transfer names its target, ${listed(referForms)}`),
  identity: clearableOf(identities, `sip: the header that names the calling number, ${listed(identities)}`),
  number_form: clearableOf(numberForms, `sip: how numbers are written, ${listed(numberForms)}`),
  country_code: clearable('sip: with number_form national, such as 44'),
  trunk_prefix: clearable('sip: with number_form national: what a national number begins with, such as 0'),
  international_prefix: clearable('sip: with number_form national: before other countries; default 00'),

  phone_number_id: Type.Optional(Type.String({ description: 'msgapp' })),
  access_token: Type.Optional(Type.String({ description: 'msgapp: write-only' })),
})
export type PutCarrier = Static<typeof PutCarrier>

const StatedNetwork = Type.Object({ network: Type.String(), state: oneOf(networkStates) })
export type StatedNetwork = Static<typeof StatedNetwork>

const CertificateShown = Type.Object({
  subject: Type.String(),
  expires_at: Type.Number({ description: 'epoch seconds' }),
})

/** How calls of a SIP peer come and go, without its secrets. */
export const SipSettings = Type.Object({
  auth: oneOf(inboundProofs),
  outbound_host: nullable(Type.String()),
  outbound_transport: oneOf(sipTransports),
  encryption: nullable(oneOf(encryptions)),
  ca_certificates: Type.Array(CertificateShown),
  client_certificate: orNull(CertificateShown),
  from_domain: nullable(Type.String()),
  refer_to: oneOf(referForms),
  identity: oneOf(identities),
  number_form: oneOf(numberForms),
  country_code: nullable(Type.String()),
  trunk_prefix: nullable(Type.String()),
  international_prefix: nullable(Type.String()),
  dial_extensions: Type.Array(Type.String()),
  register: Type.Boolean(),
  registration: orNull(
    Type.Object({
      state: oneOf(['waiting', ...registrationStates]),
      until: nullable(Type.Number({ description: 'epoch seconds; if registered' })),
      says: nullable(Type.String({ description: 'why not, if it is not' })),
    }),
  ),
})
export type SipSettings = Static<typeof SipSettings>

export const CarrierAccount = Type.Object({
  kind: oneOf(carrierKinds),
  account: Type.String(),
  label: Type.String(),
  networks: Type.Unsafe<string[] | StatedNetwork[]>({
    type: 'array',
    items: { anyOf: [StatedNetwork, { type: 'string' }] },
    description: "what the carrier calls from; of a SIP peer each with the operator's word",
  }),
  sip: Type.Optional(SipSettings),
})
export type CarrierAccount = Static<typeof CarrierAccount>

export const CarrierList = Type.Object({ carriers: Type.Array(CarrierAccount) })
export type CarrierList = Static<typeof CarrierList>

/** Which account is meant; needed if the org holds several. */
export const AccountAsked = Type.Object({ account: Type.Optional(Type.String()) })
export type AccountAsked = Static<typeof AccountAsked>

export const howKinds = ['automatic', 'guided'] as const

export const CatalogueCarrier = Type.Object({
  kind: Type.String(),
  name: Type.String(),
  how: oneOf(howKinds),
  networks: Type.Array(Type.String()),
})
export type CatalogueCarrier = Static<typeof CatalogueCarrier>

export const CarrierCatalogue = Type.Object({
  carriers: Type.Array(CatalogueCarrier),
  sells: Type.Boolean({ description: 'whether the platform has an account to buy numbers on' }),
  receives: Type.Object(
    { sandbox: Type.Boolean(), production: Type.Boolean() },
    { description: 'whether carriers have a name to send calls of the environment to' },
  ),
})
export type CarrierCatalogue = Static<typeof CarrierCatalogue>

/** A network that an org sends calls from, as the operator sees it. */
export const AskedNetwork = Type.Object({
  id: Type.String(),
  org: Type.String(),
  network: Type.String(),
  state: oneOf(networkStates),
  account: nullable(Type.String({ description: 'the SIP peer it was asked for' })),
  number: nullable(Type.String({ description: 'the hooked number it was asked for' })),
  asked_at: Type.Number({ description: 'epoch seconds' }),
})
export type AskedNetwork = Static<typeof AskedNetwork>

export const AskedNetworks = Type.Object({ networks: Type.Array(AskedNetwork) })
export type AskedNetworks = Static<typeof AskedNetworks>

export const NetworksAsked = Type.Object({
  state: Type.Optional(anyOf(networkStates, 'default waiting')),
})
export type NetworksAsked = Static<typeof NetworksAsked>

export const FirewallList = Type.Object({
  port: Type.Integer(),
  networks: Type.Array(Type.String(), { description: 'sorted' }),
})
export type FirewallList = Static<typeof FirewallList>

/** Whether an environment can place a call, from what the platform itself knows. */
export const OutboundReadiness = Type.Object({
  ready: Type.Boolean(),
  kind: nullable(oneOf(carrierKinds)),
  from_numbers: Type.Array(Type.String(), {
    description: 'phone numbers that live in an account, oldest first',
  }),
  steps_missing: Type.Array(Type.String(), { description: 'one sentence for each; none when ready' }),
  guards: DialGuards,
})
export type OutboundReadiness = Static<typeof OutboundReadiness>

export const ProvisionAsked = Type.Interface([AccountAsked, DryRun], {})
export type ProvisionAsked = Static<typeof ProvisionAsked>

/** How calls of an org go out through an account. */
export const ProvisionedOutbound = Type.Object({
  kind: oneOf(carrierKinds),
  account: Type.String(),
  host: Type.String({ description: 'where the platform dials' }),
  steps: Type.Array(Type.String({ description: '`<thing>: done`, `stands` or `to do`' })),
  dry_run: Type.Boolean(),
})
export type ProvisionedOutbound = Static<typeof ProvisionedOutbound>
