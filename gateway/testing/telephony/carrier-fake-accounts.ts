import { newSid } from './carrier-fake-account.ts'
import { shownCredential, shownCredentialList, shownNumber } from './carrier-fake-shapes.ts'
import {
  CarrierRefusal,
  named,
  notFound,
  page,
  paging,
  type Context,
  type Operation,
} from './carrier-fake-wire.ts'

export const ofAccount = (rest: string) => new RegExp(`^/2010-04-01/Accounts/([^/]+)/${rest}$`)

/** The account API: numbers, credentials and texts. */
export const accountOperations: Operation[] = [
  {
    method: 'GET',
    path: /^\/2010-04-01\/Accounts\/([^/]+)\.json$/,
    run: ({ account }) => [200, { sid: account.sid, friendly_name: 'Test', status: 'active', type: 'Full' }],
  },
  {
    method: 'GET',
    path: ofAccount('IncomingPhoneNumbers\\.json'),
    optional: ['PhoneNumber', 'FriendlyName', 'Beta', 'Origin', ...paging],
    run: (context) => {
      const wanted = context.request.query['PhoneNumber']?.replaceAll('*', '') ?? ''
      const found = context.account.numbers.filter(({ phone_number }) => phone_number.includes(wanted))
      return page(
        context,
        'incoming_phone_numbers',
        found.map((number) => shownNumber(context, number)),
        'uri',
      )
    },
  },
  {
    method: 'GET',
    path: ofAccount('SIP/CredentialLists\\.json'),
    optional: paging,
    run: (context) => {
      const lists = context.account.credentialLists.map((list) => shownCredentialList(context, list))
      return page(context, 'credential_lists', lists, 'uri')
    },
  },
  {
    method: 'POST',
    path: ofAccount('SIP/CredentialLists\\.json'),
    required: ['FriendlyName'],
    run: (context) => {
      const made = { sid: newSid('CL'), friendly_name: named(context.request), credentials: [] }
      context.account.credentialLists.push(made)
      return [201, shownCredentialList(context, made)]
    },
  },
  {
    method: 'GET',
    path: ofAccount('SIP/CredentialLists/([^/]+)/Credentials\\.json'),
    optional: paging,
    run: (context) => {
      const list = listAt(context)
      const credentials = list.credentials.map((credential) => shownCredential(context, list, credential))
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
      return [201, shownCredential(context, list, made)]
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
      const { sid: account_sid } = account
      return [
        201,
        { sid: newSid('SM'), account_sid, status: 'queued', direction: 'outbound-api', to, from, body },
      ]
    },
  },
]

function listAt({ account, request, parts }: Context) {
  const list = account.credentialLists.find(({ sid }) => sid === parts[1])
  if (!list) throw notFound(request)
  return list
}
