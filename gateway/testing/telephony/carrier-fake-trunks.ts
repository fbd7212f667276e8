import { newSid, type TrunkFake } from './carrier-fake-account.ts'
import { shownOrigination, shownTrunk, shownTrunkList, shownTrunkNumber } from './carrier-fake-shapes.ts'
import {
  CarrierRefusal,
  named,
  notFound,
  page,
  paging,
  type CarrierRequest,
  type CarrierState,
  type Context,
  type Operation,
} from './carrier-fake-wire.ts'

const ofTrunk = (rest: string) => new RegExp(`^/v1/Trunks/([^/]+)${rest}$`)

/** The trunking API. */
export const trunkOperations: Operation[] = [
  {
    method: 'GET',
    path: /^\/v1\/Trunks$/,
    optional: paging,
    run: (context) => {
      const trunks = context.account.trunks.map((trunk) => shownTrunk(context, trunk))
      return page(context, 'trunks', trunks, 'meta')
    },
  },
  {
    method: 'POST',
    path: /^\/v1\/Trunks$/,
    optional: ['FriendlyName', 'DomainName'],
    run: (context) => {
      const { fake, account, request } = context
      const name = request.form['FriendlyName'] === undefined ? '' : named(request)
      const domain = domainOf(fake, request)
      const made = account.addTrunk(name)
      made.domain_name = domain
      return [201, shownTrunk(context, made)]
    },
  },
  {
    method: 'POST',
    path: ofTrunk(''),
    optional: ['FriendlyName', 'DomainName'],
    run: (context) => {
      const trunk = trunkAt(context)
      trunk.domain_name = domainOf(context.fake, context.request, trunk) ?? trunk.domain_name
      trunk.friendly_name = context.request.form['FriendlyName'] ?? trunk.friendly_name
      return [200, shownTrunk(context, trunk)]
    },
  },
  {
    method: 'GET',
    path: ofTrunk('/OriginationUrls'),
    optional: paging,
    run: (context) => {
      const trunk = trunkAt(context)
      const urls = trunk.origination.map((url) => shownOrigination(context, trunk, url))
      return page(context, 'origination_urls', urls, 'meta')
    },
  },
  {
    method: 'POST',
    path: ofTrunk('/OriginationUrls'),
    required: ['FriendlyName', 'SipUrl', 'Priority', 'Weight', 'Enabled'],
    run: (context) => {
      const { SipUrl: sip_url = '', Enabled } = context.request.form
      named(context.request)
      if (!/^sips?:/.test(sip_url)) throw new CarrierRefusal(400, 21612, `SipUrl ${sip_url} is not a SIP URI`)
      const made = { sid: newSid('OU'), sip_url, enabled: Enabled === 'true' }
      const trunk = trunkAt(context)
      trunk.origination.push(made)
      return [201, shownOrigination(context, trunk, made)]
    },
  },
  {
    method: 'POST',
    path: ofTrunk('/PhoneNumbers'),
    required: ['PhoneNumberSid'],
    run: (context) => {
      const trunk = trunkAt(context)
      const number = context.account.numbers.find(({ sid }) => sid === context.request.form['PhoneNumberSid'])
      if (!number) throw new CarrierRefusal(400, 21404, 'PhoneNumberSid is not a number of this account')
      if (number.trunk_sid !== null)
        throw new CarrierRefusal(400, 21629, `${number.phone_number} is already associated with a trunk`)
      number.trunk_sid = trunk.sid
      return [201, shownTrunkNumber(context, number)]
    },
  },
  {
    method: 'DELETE',
    path: ofTrunk('/PhoneNumbers/([^/]+)'),
    run: (context) => {
      const trunk = trunkAt(context)
      const number = context.account.numbers.find(
        ({ sid, trunk_sid }) => sid === context.parts[1] && trunk_sid === trunk.sid,
      )
      if (!number) throw notFound(context.request)
      number.trunk_sid = null
      return [204]
    },
  },
  {
    method: 'GET',
    path: ofTrunk('/CredentialLists'),
    optional: paging,
    run: (context) => {
      const trunk = trunkAt(context)
      const lists = context.account.credentialLists.filter(({ sid }) => trunk.credentialLists.includes(sid))
      const shown = lists.map((list) => shownTrunkList(context, trunk, list))
      return page(context, 'credential_lists', shown, 'meta')
    },
  },
  {
    method: 'POST',
    path: ofTrunk('/CredentialLists'),
    required: ['CredentialListSid'],
    run: (context) => {
      const trunk = trunkAt(context)
      const list = context.account.credentialLists.find(
        ({ sid }) => sid === context.request.form['CredentialListSid'],
      )
      if (!list) throw new CarrierRefusal(400, 21239, 'CredentialListSid is not a list of this account')
      if (trunk.credentialLists.includes(list.sid))
        throw new CarrierRefusal(400, 21240, 'The credential list is already associated with this trunk')
      trunk.credentialLists.push(list.sid)
      return [201, shownTrunkList(context, trunk, list)]
    },
  },
]

function domainOf(fake: CarrierState, { form }: CarrierRequest, of?: TrunkFake): string | null {
  const domain = form['DomainName']
  if (domain === undefined) return null
  if (!/^[a-z0-9][a-z0-9-]*\.pstn\.twilio\.com$/i.test(domain))
    throw new CarrierRefusal(400, 21245, 'Trunk domain suffix must be pstn.twilio.com')
  const others = [...fake.accounts.values()].flatMap(({ trunks }) => trunks).filter((trunk) => trunk !== of)
  if (others.some(({ domain_name }) => domain_name === domain))
    throw new CarrierRefusal(400, 21248, 'Trunk Domain already taken')
  return domain
}

function trunkAt({ account, request, parts }: Context): TrunkFake {
  const trunk = account.trunks.find(({ sid }) => sid === parts[0])
  if (!trunk) throw notFound(request)
  return trunk
}
