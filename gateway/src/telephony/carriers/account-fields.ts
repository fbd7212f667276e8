import { carrierKinds, type CarrierKind, type PutCarrier } from '@switchroom/contract/carriers'
import { sipTransports, type SipTransport } from '@switchroom/contract/trunk-terms'
import ipaddr from 'ipaddr.js'
import type { PrivateNetworks } from '@switchroom/process/private-networks'
import { normalHost } from '../../foundation/address-ranges.ts'
import { badRequest, unprocessable } from '../../foundation/refusals.ts'
import type { CarrierLogin } from '../../foundation/telephony-settings.ts'
import { readDialExtensions } from './dial-extensions.ts'
import { readNetworks } from './network-parsing.ts'
import { hostForm, trunkFields, type TrunkFields } from './trunk-fields.ts'

/** What is sealed of an account, by its kind. */
export type ApiFields = { kind: 'apicarrier' } & CarrierLogin
export interface SipFields extends TrunkFields {
  kind: 'sip'
  username: string
  /** Empty if the peer proves its calls by its network and is asked for no proof itself. */
  password: string
  networks: string[]
  outbound_host?: string
  outbound_transport?: SipTransport
  outbound_username?: string
  outbound_password?: string
  /** Which extensions agents may dial there. */
  dial_extensions?: string[]
}
export interface MsgFields {
  kind: 'msgapp'
  phone_number_id: string
  access_token: string
}
export type AccountFields = ApiFields | SipFields | MsgFields

/** The fields that identify a kind, and the one that names the account. */
const marks: Record<CarrierKind, (keyof PutCarrier)[]> = {
  apicarrier: ['account_sid'],
  sip: ['username', 'addresses'],
  msgapp: ['phone_number_id'],
}

export function kindOf(sent: PutCarrier): CarrierKind {
  if (sent.kind !== undefined) {
    const named = carrierKinds.find((kind) => kind === sent.kind)
    if (!named) throw badRequest(`kind: must be one of ${carrierKinds.join(', ')}`)
    return named
  }
  const meant = carrierKinds.filter((kind) => marks[kind].some((field) => sent[field] !== undefined))
  const [only] = meant
  if (only === undefined)
    throw unprocessable('kind: is required if there is no account_sid, username or phone_number_id')
  if (meant.length > 1) throw unprocessable(`kind: is required if the fields are of ${meant.join(' and ')}`)
  return only
}

/** The account's own id. */
export function idOf(kind: CarrierKind, sent: PutCarrier): string {
  if (kind === 'sip') return idIn('username', sent.username, /^[\w.+@!~*-]{1,64}$/)
  if (kind === 'apicarrier') return idIn('account_sid', sent.account_sid, /^[\w-]{1,64}$/)
  return idIn('phone_number_id', sent.phone_number_id, /^[\w-]{1,64}$/)
}

/** What the operator lets orgs name although it is not public. */
export interface Lifted {
  privateHosts: readonly string[]
  privateNetworks: PrivateNetworks
}

/** What was sent, over what was there before. */
export function fieldsOf(
  kind: CarrierKind,
  sent: PutCarrier,
  held: AccountFields | undefined,
  lifted: Lifted,
): AccountFields {
  if (kind === 'sip') return sipFields(sent, held?.kind === 'sip' ? held : undefined, lifted)
  if (kind === 'apicarrier') {
    const before = held?.kind === 'apicarrier' ? held : undefined
    const user = secretIn('user', sent.user ?? before?.user)
    if (user.includes(':')) throw badRequest('user: holds a colon, which no user of the carrier does')
    return {
      kind,
      account_sid: idOf(kind, sent),
      user,
      secret: secretIn('secret', sent.secret ?? before?.secret),
    }
  }
  const before = held?.kind === 'msgapp' ? held : undefined
  const access_token = secretIn('access_token', sent.access_token ?? before?.access_token)
  return { kind, phone_number_id: idOf(kind, sent), access_token }
}

function sipFields(sent: PutCarrier, held: SipFields | undefined, lifted: Lifted): SipFields {
  const username = idOf('sip', sent)
  const auth = sent.auth === undefined ? held?.auth : sent.auth
  const known = sent.password ?? (held?.password || undefined)
  const password = auth === 'ip' && known === undefined ? '' : secretIn('password', known)
  if (sent.addresses === undefined && !held) throw unprocessable('addresses: is required')
  const networks =
    sent.addresses === undefined
      ? (held?.networks ?? [])
      : readNetworks('addresses', sent.addresses, lifted.privateNetworks)
  const host =
    sent.outbound_host === undefined ? held?.outbound_host : outboundHost(sent.outbound_host, lifted)
  const transport =
    sent.outbound_transport === undefined ? held?.outbound_transport : transportOf(sent.outbound_transport)
  const pair = outboundPair(sent, held)
  const fields: SipFields = {
    kind: 'sip',
    username,
    password,
    networks,
    ...(host !== undefined && { outbound_host: host }),
    ...(transport !== undefined && { outbound_transport: transport }),
    ...pair,
    ...trunkFields(sent, held, transport),
    ...readDialExtensions(sent.dial_extensions, held?.dial_extensions),
  }
  refuseOldSecretElsewhere(sent, held, fields)
  refuseIdleRegistration(fields)
  return fields
}

/** A registrar sends calls without a proof, and takes a registration only with one. */
function refuseIdleRegistration({ register, auth, outbound_host, password, outbound_password }: SipFields) {
  if (!register) return
  if (auth !== 'ip') throw badRequest('register: calls of a registrar prove no password: send auth ip too')
  if (outbound_host === undefined) throw badRequest('register: needs outbound_host, which is the registrar')
  if (password === '' && outbound_password === undefined)
    throw badRequest('register: needs the password that the registrar asks for')
}

/** A password that was given for one address is not sent to another: a caller that changes the address must know it. */
function refuseOldSecretElsewhere(sent: PutCarrier, held: SipFields | undefined, fields: SipFields) {
  if (!held || fields.outbound_host === undefined) return
  const secret = secretSent(fields)
  if (typeof sent[secret] === 'string' || fields[secret] === '') return
  const isSame =
    held.outbound_host === fields.outbound_host &&
    (held.outbound_transport ?? 'udp') === (fields.outbound_transport ?? 'udp') &&
    held.ca_certificates === fields.ca_certificates &&
    secretSent(held) === secret
  if (!isSame)
    throw badRequest(`${secret}: send it again: it was given for another address, port, transport or CA`)
}

/** The field whose secret proves us at the far end. */
const secretSent = ({ outbound_password }: SipFields) =>
  outbound_password === undefined ? 'password' : 'outbound_password'

/** Both or neither: half of a new pair with half of the old one opens nothing. */
function outboundPair(sent: PutCarrier, held: SipFields | undefined) {
  const { outbound_username: username, outbound_password: password } = sent
  if (username === undefined && password === undefined) {
    const { outbound_username, outbound_password } = held ?? {}
    return outbound_username === undefined || outbound_password === undefined
      ? {}
      : { outbound_username, outbound_password }
  }
  if (username === null && password === null) return {}
  if (typeof username !== 'string' || typeof password !== 'string') {
    const [said, missing] =
      typeof username === 'string'
        ? ['outbound_username', 'outbound_password']
        : ['outbound_password', 'outbound_username']
    throw badRequest(`${said} is of no use without ${missing}: send both or neither`)
  }
  return {
    outbound_username: secretIn('outbound_username', username),
    outbound_password: secretIn('outbound_password', password),
  }
}

function transportOf(sent: string | null): SipTransport | undefined {
  if (sent === null) return undefined
  const transport = sipTransports.find((known) => known === sent)
  if (!transport) throw badRequest(`outbound_transport: must be one of ${sipTransports.join(', ')}`)
  return transport
}

function outboundHost(sent: string | null, lifted: Lifted): string | undefined {
  if (sent === null) return undefined
  const [, host = '', port] = /^([^:]*)(?::([1-9]\d{0,4}))?$/.exec(sent) ?? []
  const isAddress = ipaddr.IPv4.isValidFourPartDecimal(host)
  const isPublicAddress = isAddress && ipaddr.IPv4.parse(host).range() === 'unicast'
  const { privateHosts, privateNetworks } = lifted
  const isNamed = host !== '' && privateHosts.some((name) => normalHost(name) === normalHost(host))
  const isLifted = isNamed || (isAddress && privateNetworks.has(host))
  const isHost = isLifted || isPublicAddress || (!isAddress && hostForm.test(host))
  if (!isHost || Number(port ?? 1) > 65_535)
    throw badRequest('outbound_host: must be a host name or a public IPv4 address, with or without :port')
  return sent.toLowerCase()
}

function idIn(field: string, sent: string | undefined, form: RegExp): string {
  if (sent === undefined) throw unprocessable(`${field}: is required`)
  if (!form.test(sent)) throw badRequest(`${field}: is not the id of an account`)
  return sent
}

/** Its value is in no sentence. */
function secretIn(field: string, sent: string | undefined): string {
  if (sent === undefined) throw unprocessable(`${field}: is required`)
  if (sent === '' || sent.length > 1000 || /\p{Cc}/u.test(sent))
    throw badRequest(`${field}: must be one line of 1 to 1000 characters`)
  return sent
}
