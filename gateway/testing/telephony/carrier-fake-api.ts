import { accountOperations } from './carrier-fake-accounts.ts'
import { shopOperations } from './carrier-fake-shop.ts'
import { trunkOperations } from './carrier-fake-trunks.ts'
import {
  CarrierRefusal,
  notFound,
  refuseMisshapen,
  type Answer,
  type CarrierRequest,
  type CarrierState,
} from './carrier-fake-wire.ts'

const operations = [...accountOperations, ...shopOperations, ...trunkOperations]

/** What the carrier answers; throws its refusals. */
export function answerOf(fake: CarrierState, request: CarrierRequest): Answer {
  const accounts = [...fake.accounts.values()]
  const account = accounts.find((known) => known.opensTo(request.user, request.secret))
  if (!account) throw new CarrierRefusal(401, 20003, 'Authenticate')
  const operation = operations.find(
    ({ method, path }) => method === request.method && path.test(request.path),
  )
  if (!operation) throw notFound(request)
  const parts = operation.path.exec(request.path)?.slice(1).map(decodeURIComponent) ?? []
  if (request.path.startsWith('/2010-04-01/')) {
    if (parts[0] !== account.sid) throw notFound(request)
    const isItself = request.path.endsWith(`/Accounts/${account.sid}.json`)
    if (isItself && account.opensTo(request.user, request.secret) === 'key')
      throw new CarrierRefusal(401, 20003, 'Authenticate')
  }
  refuseMisshapen(operation, request)
  return operation.run({ fake, account, request, parts })
}
