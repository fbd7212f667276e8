import { createPrivateKey, X509Certificate } from 'node:crypto'
import type { PutCarrier, SipSettings } from '@switchroom/contract/carriers'
import {
  encryptions,
  identities,
  inboundProofs,
  numberForms,
  referForms,
  type FenceTerms,
  type InboundProof,
  type SipTransport,
  type TrunkTerms,
} from '@switchroom/contract/trunk-terms'
import { badRequest } from '../../foundation/refusals.ts'

/** How calls of a SIP peer come and go, beside where from and where to. */
export interface TrunkFields extends TrunkTerms {
  /** Without it the peer proves its calls by digest. */
  auth?: InboundProof
  /** Whether a worker registers the user at the peer. */
  register?: boolean
}

/** The last label begins with a letter: what ends in a number is an address in some spelling. */
export const hostForm =
  /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/i

/** What was sent, over what was there before; null takes a field away. */
export function trunkFields(
  sent: PutCarrier,
  held: TrunkFields | undefined,
  transport: SipTransport | undefined,
): TrunkFields {
  const fields = withoutAbsent({
    auth: chosen('auth', inboundProofs)(sent, held),
    register: (sent.register === undefined ? held?.register : sent.register) || undefined,
    encryption: chosen('encryption', encryptions)(sent, held),
    refer_to: chosen('refer_to', referForms)(sent, held),
    identity: chosen('identity', identities)(sent, held),
    from_domain: text('from_domain', domainOf)(sent, held),
    ...numbering(sent, held),
    ca_certificates: text('ca_certificates', (pem) => certificatesOf('ca_certificates', pem))(sent, held),
    ...clientPair(sent, held),
  })
  if (transport !== 'tls') {
    const unused = (['ca_certificates', 'client_certificate'] as const).find((name) => fields[name])
    if (unused)
      throw badRequest(`${unused}: is used with outbound_transport tls alone: set that, or send null for it`)
  }
  return fields
}

/** What calls from the peer are held to. */
export const fenceTerms = (fields: TrunkFields & { username: string }): FenceTerms => ({
  ...termsBothWays(fields),
  ...(fields.register && { registered_as: fields.username }),
})

const termsBothWays = (fields: TrunkFields) => {
  const { encryption, from_domain, refer_to, number_form } = fields
  const { country_code, trunk_prefix, international_prefix } = fields
  return withoutAbsent({
    encryption,
    from_domain,
    refer_to,
    number_form,
    country_code,
    trunk_prefix,
    international_prefix,
  })
}

export const trunkTerms = (fields: TrunkFields): TrunkTerms => {
  const { identity, ca_certificates, client_certificate, client_key } = fields
  return {
    ...termsBothWays(fields),
    ...withoutAbsent({ identity, ca_certificates, client_certificate, client_key }),
  }
}

/** Every field is named, so that the key can never be among them. */
export const shownTrunk = (
  fields: TrunkFields & {
    outbound_host?: string
    outbound_transport?: SipTransport
    dial_extensions?: string[]
  },
): Omit<SipSettings, 'registration'> => ({
  dial_extensions: fields.dial_extensions ?? [],
  register: fields.register ?? false,
  auth: fields.auth ?? 'digest',
  outbound_host: fields.outbound_host ?? null,
  outbound_transport: fields.outbound_transport ?? 'udp',
  encryption: fields.encryption ?? null,
  ca_certificates: pemsIn(fields.ca_certificates ?? '').map(shownCertificate),
  client_certificate: pemsIn(fields.client_certificate ?? '').map(shownCertificate)[0] ?? null,
  from_domain: fields.from_domain ?? null,
  refer_to: fields.refer_to ?? 'sip',
  identity: fields.identity ?? 'none',
  number_form: fields.number_form ?? 'e164',
  country_code: fields.country_code ?? null,
  trunk_prefix: fields.trunk_prefix ?? null,
  international_prefix: fields.international_prefix ?? null,
})

type Field = Exclude<keyof TrunkFields & keyof PutCarrier, 'register'>
type Held = TrunkFields | undefined

const text =
  <Name extends Field>(name: Name, read: (sent: string) => TrunkFields[Name]) =>
  (sent: PutCarrier, held: Held): TrunkFields[Name] | undefined => {
    const said = sent[name]
    if (said === undefined) return held?.[name]
    return said === null ? undefined : read(said)
  }

const chosen = <Name extends Field>(name: Name, values: readonly NonNullable<TrunkFields[Name]>[]) =>
  text(name, (said) => {
    const value = values.find((known) => known === said)
    if (value === undefined) throw badRequest(`${name}: must be one of ${values.join(', ')}`)
    return value
  })

const matching = (name: (typeof nationalNames)[number], form: RegExp, what: string) =>
  text(name, (said) => {
    if (!form.test(said)) throw badRequest(`${name}: must be ${what}`)
    return said
  })

type Numbering = { [Name in 'number_form' | (typeof nationalNames)[number]]?: TrunkFields[Name] | undefined }
const nationalNames = ['country_code', 'trunk_prefix', 'international_prefix'] as const

function numbering(sent: PutCarrier, held: Held): Numbering {
  const number_form = chosen('number_form', numberForms)(sent, held)
  if (number_form !== 'national') {
    const unused = nationalNames.find((name) => typeof sent[name] === 'string')
    if (unused) throw badRequest(`${unused}: is used with number_form national alone`)
    return { number_form }
  }
  const country_code = matching('country_code', /^[1-9]\d{0,2}$/, 'a country calling code, such as 44')
  const trunk_prefix = matching('trunk_prefix', /^\d{1,4}$/, '1 to 4 digits, such as 0')
  const international_prefix = matching('international_prefix', /^\d{1,5}$/, '1 to 5 digits, such as 00')
  const read = {
    number_form,
    country_code: country_code(sent, held),
    trunk_prefix: trunk_prefix(sent, held),
    international_prefix: international_prefix(sent, held),
  }
  if (read.country_code === undefined)
    throw badRequest('country_code: is required with number_form national, such as 44')
  return read
}

const ipv4Form = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/

function domainOf(said: string): string {
  if (!hostForm.test(said) && !ipv4Form.test(said))
    throw badRequest('from_domain: must be a host name or an IPv4 address, without a port')
  return said.toLowerCase()
}

const mostPem = 65_536
const mostCertificates = 20
const pemForm = /-----BEGIN CERTIFICATE-----[\sA-Za-z0-9+/=]+-----END CERTIFICATE-----/g
const pemsIn = (pem: string): string[] => pem.match(pemForm) ?? []

/** Without what stands between them. */
function certificatesOf(name: Field, pem: string): string {
  const found = pem.length > mostPem ? [] : pemsIn(pem)
  if (found.length === 0 || found.length > mostCertificates)
    throw badRequest(`${name}: must be 1 to ${mostCertificates} certificates as PEM, of 64 KB at most`)
  if (!found.every(isCertificate)) throw badRequest(`${name}: one of its certificates cannot be read`)
  return `${found.join('\n')}\n`
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== ''
  } catch {
    return false
  }
}

const shownCertificate = (pem: string) => {
  const { subject, validTo } = new X509Certificate(pem)
  return { subject: subject.replaceAll('\n', ', '), expires_at: Date.parse(validTo) / 1000 }
}

/** Both or neither, and of one pair. The key is in no sentence. */
function clientPair(sent: PutCarrier, held: Held): Partial<TrunkFields> {
  const certificate = text('client_certificate', (pem) => certificatesOf('client_certificate', pem))
  const client_certificate = certificate(sent, held)
  const client_key = text('client_key', (pem) => pem.slice(0, mostPem))(sent, held)
  if (client_certificate === undefined && client_key === undefined) return {}
  if (client_certificate === undefined || client_key === undefined) {
    const [said, missing] =
      client_key === undefined ? ['client_certificate', 'client_key'] : ['client_key', 'client_certificate']
    throw badRequest(`${said} is of no use without ${missing}: send both or neither`)
  }
  const isChanged = typeof sent.client_certificate === 'string' || typeof sent.client_key === 'string'
  if (isChanged) refuseOtherKey(client_certificate, client_key)
  return { client_certificate, client_key }
}

function refuseOtherKey(certificate: string, key: string) {
  let isPair = false
  try {
    isPair = new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))
  } catch {
    throw badRequest('client_key: must be a private key as PEM, without a passphrase')
  }
  if (!isPair) throw badRequest('client_key: is not the key of client_certificate, the first one in it')
}

/** Answers of an optional field are absent, never undefined. */
const withoutAbsent = <Fields extends object>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Fields]?: Exclude<Fields[Name], undefined>
  }
