import type { NumberType } from '@switchroom/contract/numbers'
import { newSid, type TermsFake } from './carrier-fake-account.ts'
import { ofAccount } from './carrier-fake-accounts.ts'
import { shownAddress, shownBundle, shownNumber } from './carrier-fake-shapes.ts'
import {
  CarrierRefusal,
  notFound,
  page,
  paging,
  type CarrierState,
  type Context,
  type Operation,
} from './carrier-fake-wire.ts'

const types: Record<string, NumberType> = {
  Local: 'local',
  Mobile: 'mobile',
  National: 'national',
  TollFree: 'toll-free',
}

const termsOf = ({ terms }: CarrierState, number: string): TermsFake => ({
  type: 'local',
  address: 'none',
  locality: null,
  region: null,
  ...terms.get(number),
})

/** What is for sale, the papers that it takes, and the purchase and its end. */
export const shopOperations: Operation[] = [
  {
    method: 'GET',
    path: ofAccount('AvailablePhoneNumbers/([A-Z]{2})/(Local|Mobile|National|TollFree)\\.json'),
    optional: [
      'AreaCode',
      'Contains',
      'VoiceEnabled',
      'SmsEnabled',
      'ExcludeAllAddressRequired',
      'ExcludeLocalAddressRequired',
      'ExcludeForeignAddressRequired',
      ...paging,
    ],
    run: ({ fake, request, parts: [, country = '', list = ''] }) => {
      const { path, query } = request
      const shelf = fake.forSale.get(country)
      if (!shelf) throw notFound(request)
      const begins = new RegExp(`^\\+\\d{1,3}?${query['AreaCode'] ?? ''}`)
      const contains = new RegExp((query['Contains'] ?? '').replaceAll('*', '\\d'))
      const isLeftOut = ({ address }: TermsFake) =>
        (address !== 'none' && query['ExcludeAllAddressRequired'] === 'true') ||
        (address === 'local' && query['ExcludeLocalAddressRequired'] === 'true') ||
        (address === 'foreign' && query['ExcludeForeignAddressRequired'] === 'true')
      const found = shelf
        .filter((number) => begins.test(number) && contains.test(number))
        .map((number) => ({ number, ...termsOf(fake, number) }))
        .filter((offer) => offer.type === types[list] && !isLeftOut(offer))
        .slice(0, Number(query['PageSize'] ?? 50))
      const numbers = found.map(({ number, address, locality, region }) => ({
        phone_number: number,
        friendly_name: number,
        lata: null,
        locality,
        rate_center: null,
        latitude: null,
        longitude: null,
        region,
        postal_code: null,
        iso_country: country,
        address_requirements: address,
        beta: false,
        capabilities: { voice: true, SMS: true, MMS: false },
      }))
      return [200, { available_phone_numbers: numbers, uri: path }]
    },
  },
  {
    method: 'POST',
    path: ofAccount('IncomingPhoneNumbers\\.json'),
    required: ['PhoneNumber'],
    optional: ['FriendlyName', 'TrunkSid', 'VoiceUrl', 'SmsUrl', 'AddressSid', 'BundleSid'],
    run: (context) => {
      const { fake, account, request } = context
      const number = request.form['PhoneNumber'] ?? ''
      const [country, shelf] = [...fake.forSale].find(([, numbers]) => numbers.includes(number)) ?? []
      if (country === undefined || !shelf)
        throw new CarrierRefusal(400, 21422, `Invalid phone number: '${number}' is not available.`)
      refuseWithoutPapers(context, number, country)
      shelf.splice(shelf.indexOf(number), 1)
      const bought = account.addNumber(number)
      bought.address_sid = request.form['AddressSid'] ?? null
      bought.bundle_sid = request.form['BundleSid'] ?? null
      return [201, shownNumber(context, bought)]
    },
  },
  {
    method: 'DELETE',
    path: ofAccount('IncomingPhoneNumbers/([^/]+)\\.json'),
    run: ({ account, request, parts }) => {
      const at = account.numbers.findIndex(({ sid }) => sid === parts[1])
      if (at === -1) throw notFound(request)
      account.numbers.splice(at, 1)
      return [204]
    },
  },
  {
    method: 'GET',
    path: ofAccount('Addresses\\.json'),
    optional: ['IsoCountry', 'FriendlyName', 'CustomerName', ...paging],
    run: (context) => {
      const { IsoCountry: country } = context.request.query
      const found = context.account.addresses.filter((one) => !country || one.iso_country === country)
      return page(
        context,
        'addresses',
        found.map((address) => shownAddress(context, address)),
        'uri',
      )
    },
  },
  {
    method: 'GET',
    path: /^\/v2\/RegulatoryCompliance\/Bundles$/,
    optional: ['IsoCountry', 'NumberType', 'Status', 'FriendlyName', ...paging],
    run: (context) => {
      const { IsoCountry, NumberType, Status } = context.request.query
      const found = context.account.bundles.filter(
        ({ country, type, status }) =>
          (!IsoCountry || country === IsoCountry) &&
          (!NumberType || type === NumberType) &&
          (!Status || status === Status),
      )
      return page(
        context,
        'results',
        found.map((bundle) => shownBundle(context, bundle)),
        'meta',
      )
    },
  },
  {
    method: 'GET',
    path: /^\/v2\/RegulatoryCompliance\/Regulations$/,
    optional: ['IsoCountry', 'NumberType', 'EndUserType', ...paging],
    run: (context) => {
      const { IsoCountry: iso_country = '', NumberType: number_type = '' } = context.request.query
      const regulation = {
        sid: newSid('RN'),
        friendly_name: `${iso_country}: ${number_type} - Business`,
        iso_country,
        number_type,
        end_user_type: 'business',
        requirements: {},
        url: context.fake.url,
      }
      const isRegulated = context.fake.regulated.has(`${iso_country} ${number_type}`)
      return page(context, 'results', isRegulated ? [regulation] : [], 'meta')
    },
  },
]

/** As local law has it: an address of the right country, and an approved bundle. */
function refuseWithoutPapers({ fake, account, request }: Context, number: string, country: string) {
  const { AddressSid, BundleSid } = request.form
  const { type, address: need } = termsOf(fake, number)
  const address = account.addresses.find(({ sid }) => sid === AddressSid)
  const isEnough =
    need === 'none' ||
    (address !== undefined && (need === 'any' || (need === 'local') === (address.iso_country === country)))
  if (!isEnough)
    throw new CarrierRefusal(
      400,
      21631,
      `Phone Number Requires an Address but the 'AddressSid' does not satisfy it.`,
    )
  if (!fake.regulated.has(`${country} ${type}`)) return
  const bundle = account.bundles.find(({ sid }) => sid === BundleSid)
  const isRight = bundle?.country === country && bundle.type === type && bundle.status === 'twilio-approved'
  if (!isRight) throw new CarrierRefusal(400, 21649, 'Bundle required and not provided')
}
