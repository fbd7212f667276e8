import { newSid } from './carrier-fake-account.ts'
import {
  CarrierRefusal,
  named,
  notFound,
  page,
  paging,
  shownNumber,
  type Context,
  type Operation,
} from './carrier-fake-wire.ts'

const ofAccount = (rest: string) => new RegExp(`^/2010-04-01/Accounts/([^/]+)/${rest}$`)

/** The account API: numbers, credentials and texts. */
export const accountOperations: Operation[] = [
  {
    method: 'GET',
    path: /^\/2010-04-01\/Accounts\/([^/]+)\.json$/,
    run: ({ account }) => [200, { sid: account.sid, status: 'active' }],
  },
  {
    method: 'GET',
    path: ofAccount('IncomingPhoneNumbers\\.json'),
    optional: ['PhoneNumber', 'FriendlyName', 'Beta', 'Origin', ...paging],
    run: (context) => {
      const wanted = context.request.query['PhoneNumber']?.replaceAll('*', '') ?? ''
      const found = context.account.numbers.filter(({ phone_number }) => phone_number.includes(wanted))
      return page(context, 'incoming_phone_numbers', found.map(shownNumber), 'uri')
    },
  },
  {
    method: 'POST',
    path: ofAccount('IncomingPhoneNumbers\\.json'),
    required: ['PhoneNumber'],
    optional: ['FriendlyName', 'TrunkSid', 'VoiceUrl', 'SmsUrl'],
    run: ({ fake, account, request }) => {
      const number = request.form['PhoneNumber'] ?? ''
      const shelf = [...fake.forSale.values()].find((numbers) => numbers.includes(number))
      if (!shelf) throw new CarrierRefusal(400, 21422, `Invalid phone number: '${number}' is not available.`)
      shelf.splice(shelf.indexOf(number), 1)
      return [201, shownNumber(account.addNumber(number))]
    },
  },
  {
    method: 'GET',
    path: ofAccount('AvailablePhoneNumbers/([A-Z]{2})/Local\\.json'),
    optional: ['AreaCode', 'Contains', 'VoiceEnabled', 'SmsEnabled', ...paging],
    run: ({ fake, request, parts }) => {
      const shelf = fake.forSale.get(parts[1] ?? '')
      if (!shelf) throw notFound(request)
      const begins = new RegExp(`^\\+\\d{1,3}?${request.query['AreaCode'] ?? ''}`)
      const most = Number(request.query['PageSize'] ?? 50)
      const found = shelf.filter((number) => begins.test(number)).slice(0, most)
      const numbers = found.map((phone_number) => ({ phone_number, friendly_name: phone_number }))
      return [200, { available_phone_numbers: numbers, uri: request.path }]
    },
  },
  {
    method: 'GET',
    path: ofAccount('SIP/CredentialLists\\.json'),
    optional: paging,
    run: (context) => {
      const lists = context.account.credentialLists.map(({ sid, friendly_name }) => ({ sid, friendly_name }))
      return page(context, 'credential_lists', lists, 'uri')
    },
  },
  {
    method: 'POST',
    path: ofAccount('SIP/CredentialLists\\.json'),
    required: ['FriendlyName'],
    run: ({ account, request }) => {
      const made = { sid: newSid('CL'), friendly_name: named(request), credentials: [] }
      account.credentialLists.push(made)
      return [201, { sid: made.sid, friendly_name: made.friendly_name }]
    },
  },
  {
    method: 'GET',
    path: ofAccount('SIP/CredentialLists/([^/]+)/Credentials\\.json'),
    optional: paging,
    run: (context) => {
      const credentials = listAt(context).credentials.map(({ sid, username }) => ({ sid, username }))
      return page(context, 'credentials', credentials, 'uri')
    },
  },
  {
    method: 'POST',
    path: ofAccount('SIP/CredentialLists/([^/]+)/Credentials\\.json'),
    required: ['Username', 'Password'],
    run: (context) => {
      const { Username: username = '', Password: password = '' } = context.request.form
      const list = listAt(context)
      if (username.length > 32) throw new CarrierRefusal(400, 21222, 'Username is longer than 32 characters')
      if (list.credentials.some((known) => known.username === username))
        throw new CarrierRefusal(400, 21230, `Username ${username} already exists in this credential list`)
      const isStrong = password.length >= 12 && [/[a-z]/, /[A-Z]/, /\d/].every((form) => form.test(password))
      if (!isStrong)
        throw new CarrierRefusal(
          400,
          21231,
          `Password ${password} must be 12 characters of mixed case and a digit`,
        )
      const made = { sid: newSid('CR'), username, password }
      list.credentials.push(made)
      return [201, { sid: made.sid, username }]
    },
  },
  {
    method: 'POST',
    path: ofAccount('Messages\\.json'),
    required: ['To', 'From', 'Body'],
    run: ({ account, request }) => {
      const { To: to = '', From: from = '', Body: body = '' } = request.form
      if (!/^\+[1-9]\d{6,14}$/.test(to))
        throw new CarrierRefusal(400, 21211, `Invalid 'To' Phone Number: ${to}`)
      account.texts.push({ to, from, body })
      return [201, { sid: newSid('SM'), status: 'queued', to, from }]
    },
  },
]

function listAt({ account, request, parts }: Context) {
  const list = account.credentialLists.find(({ sid }) => sid === parts[1])
  if (!list) throw notFound(request)
  return list
}
