import { RoutedNumberParams } from '@switchroom/contract/extensions'
import { AvailableNumbers, NumberList, NumberPath } from '@switchroom/contract/numbers'
import { scope } from '../../http/access.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import type { AccountNumbers } from './account-numbers.ts'
import type { Numbers } from './numbers.ts'

export function numberRoutes(server: Server, numbers: Numbers, accountNumbers: AccountNumbers) {
  server.get(
    '/v1/numbers',
    {
      access: scope('numbers'),
      schema: { summary: 'The numbers of the org, oldest first', response: { 200: NumberList } },
    },
    (request) => numbers.list(request.caller),
  )

  server.get(
    '/v1/numbers/available',
    {
      access: scope('numbers'),
      schema: {
        summary: "What the org's carrier accounts own",
        response: { 200: AvailableNumbers, ...refusals(404, 502) },
      },
    },
    (request) => accountNumbers.list(request.caller),
  )

  server.get(
    '/v1/numbers/:number/path',
    {
      access: scope('numbers'),
      schema: {
        summary: 'Why a number rings, or why not',
        params: RoutedNumberParams,
        response: { 200: NumberPath, ...refusals(404) },
      },
    },
    (request) => numbers.path(request.caller, request.params.number),
  )
}
