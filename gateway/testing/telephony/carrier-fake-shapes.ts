import type {
  AddressFake,
  BundleFake,
  CredentialListFake,
  NumberFake,
  TrunkFake,
} from './carrier-fake-account.ts'
import type { Context } from './carrier-fake-wire.ts'

// Things as the carrier shows them. Its account API names resources by path and writes dates as letters do; the others
// name them by whole address and write ISO dates.
const made = new Date('2026-11-17T08:00:00Z')
const letterDates = { date_created: made.toUTCString().replace('GMT', '+0000'), date_updated: null }
const isoDate = made.toISOString().replace('.000', '')
const isoDates = { date_created: isoDate, date_updated: isoDate }

const pathOf = ({ account }: Context, rest: string) => `/2010-04-01/Accounts/${account.sid}/${rest}.json`
const urlOf = ({ fake }: Context, path: string) => `${fake.url}${path}`

const numberFields = (
  { account }: Context,
  { sid, phone_number, friendly_name, trunk_sid, address_sid, bundle_sid }: NumberFake,
) => ({
  sid,
  account_sid: account.sid,
  phone_number,
  friendly_name,
  trunk_sid,
  address_sid,
  bundle_sid,
  capabilities: { voice: true, sms: true, mms: false, fax: false },
  beta: false,
  api_version: '2010-04-01',
})

export const shownNumber = (context: Context, number: NumberFake) => ({
  ...numberFields(context, number),
  origin: 'twilio',
  status: 'in-use',
  ...letterDates,
  uri: pathOf(context, `IncomingPhoneNumbers/${number.sid}`),
})

/** The same number, as its trunk shows it. */
export const shownTrunkNumber = (context: Context, number: NumberFake) => ({
  ...numberFields(context, number),
  ...isoDates,
  url: urlOf(context, `/v1/Trunks/${number.trunk_sid ?? ''}/PhoneNumbers/${number.sid}`),
})

export const shownTrunk = (context: Context, { sid, friendly_name, domain_name }: TrunkFake) => ({
  sid,
  account_sid: context.account.sid,
  friendly_name,
  domain_name,
  secure: false,
  auth_type: '',
  auth_type_set: [],
  ...isoDates,
  url: urlOf(context, `/v1/Trunks/${sid}`),
})

export const shownOrigination = (
  context: Context,
  trunk: TrunkFake,
  { sid, sip_url, enabled }: TrunkFake['origination'][number],
) => ({
  sid,
  account_sid: context.account.sid,
  trunk_sid: trunk.sid,
  friendly_name: sip_url,
  sip_url,
  priority: 10,
  weight: 10,
  enabled,
  ...isoDates,
  url: urlOf(context, `/v1/Trunks/${trunk.sid}/OriginationUrls/${sid}`),
})

export const shownCredentialList = (context: Context, { sid, friendly_name }: CredentialListFake) => ({
  sid,
  account_sid: context.account.sid,
  friendly_name,
  ...letterDates,
  uri: pathOf(context, `SIP/CredentialLists/${sid}`),
})

export const shownCredential = (
  context: Context,
  list: CredentialListFake,
  { sid, username }: { sid: string; username: string },
) => ({
  sid,
  account_sid: context.account.sid,
  credential_list_sid: list.sid,
  username,
  ...letterDates,
  uri: pathOf(context, `SIP/CredentialLists/${list.sid}/Credentials/${sid}`),
})

export const shownTrunkList = (
  context: Context,
  trunk: TrunkFake,
  { sid, friendly_name }: CredentialListFake,
) => ({
  sid,
  account_sid: context.account.sid,
  trunk_sid: trunk.sid,
  friendly_name,
  ...isoDates,
  url: urlOf(context, `/v1/Trunks/${trunk.sid}/CredentialLists/${sid}`),
})

export const shownAddress = (context: Context, address: AddressFake) => ({
  ...address,
  account_sid: context.account.sid,
  region: address.city,
  street_secondary: null,
  emergency_enabled: false,
  validated: true,
  verified: false,
  ...letterDates,
  uri: pathOf(context, `Addresses/${address.sid}`),
})

export const shownBundle = (context: Context, { sid, friendly_name, status }: BundleFake) => ({
  sid,
  account_sid: context.account.sid,
  regulation_sid: `RN${sid.slice(2)}`,
  friendly_name,
  status,
  valid_until: null,
  email: 'numbers@example.com',
  status_callback: null,
  ...isoDates,
  url: urlOf(context, `/v2/RegulatoryCompliance/Bundles/${sid}`),
  links: {},
})
