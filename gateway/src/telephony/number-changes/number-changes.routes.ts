import { RoutedNumberParams } from '@switchroom/contract/extensions'
import {
  BuyingRequirements,
  BuyNumber,
  DryRun,
  ForSaleAsked,
  ImportedNumber,
  ImportNumber,
  MoveNumber,
  NumberKind,
  NumbersForSale,
  ReleaseNumber,
  TypeNumber,
} from '@switchroom/contract/numbers'
import { Nothing } from '@switchroom/contract/shapes'
import { operator, scope } from '../../http/access.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import type { NumberImport } from './number-import.ts'
import type { NumberMove } from './number-move.ts'
import type { NumberPurchase } from './number-purchase.ts'
import type { NumberRelease } from './number-release.ts'
import type { NumberSearch } from './number-search.ts'
import type { PurchaseRequirements } from './purchase-requirements.ts'

interface Changes {
  numberImport: NumberImport
  numberSearch: NumberSearch
  purchaseRequirements: PurchaseRequirements
  numberPurchase: NumberPurchase
  numberMove: NumberMove
  numberRelease: NumberRelease
}

export function numberChangeRoutes(server: Server, changes: Changes) {
  const { numberImport, numberMove, numberRelease } = changes
  purchaseRoutes(server, changes)

  server.post(
    '/v1/numbers',
    {
      access: scope('numbers'),
      schema: {
        summary: 'Import a number and route it to an agent',
        querystring: DryRun,
        body: ImportNumber,
        response: { 200: ImportedNumber, ...refusals(404, 409, 502, 503) },
      },
    },
    (request) => numberImport.import(request.caller, request.body, request.query),
  )

  server.put(
    '/v1/numbers/:number/env',
    {
      access: scope('numbers'),
      schema: {
        summary: 'Move a number into the other environment',
        params: RoutedNumberParams,
        body: MoveNumber,
        response: { 200: ImportedNumber, ...refusals(404, 409, 429, 502, 503) },
      },
    },
    (request) => numberMove.move(request.caller, request.params.number, request.body),
  )

  server.delete(
    '/v1/numbers/:number',
    {
      access: scope('numbers'),
      schema: {
        summary: 'Release a number; its account keeps it unless a bought one is released at the carrier too',
        params: RoutedNumberParams,
        querystring: ReleaseNumber,
        response: { 204: Nothing, ...refusals(404, 409, 502, 503) },
      },
    },
    async (request, reply) => {
      await numberRelease.release(request.caller, request.params.number, request.query)
      return reply.code(204).send()
    },
  )

  server.post(
    '/v1/ops/numbers',
    {
      access: operator,
      schema: {
        summary: 'Route a number into any org',
        body: TypeNumber,
        response: { 200: ImportedNumber, ...refusals(404, 409, 502, 503) },
      },
    },
    (request) => numberImport.type(request.operator, request.body),
  )
}

function purchaseRoutes(
  server: Server,
  {
    numberSearch,
    purchaseRequirements,
    numberPurchase,
  }: Pick<Changes, 'numberSearch' | 'purchaseRequirements' | 'numberPurchase'>,
) {
  server.get(
    '/v1/numbers/for-sale',
    {
      access: scope('numbers'),
      schema: {
        summary: 'Numbers that can be bought, to choose from',
        querystring: ForSaleAsked,
        response: { 200: NumbersForSale, ...refusals(404, 502, 503) },
      },
    },
    (request) => numberSearch.list(request.caller, request.query),
  )

  server.get(
    '/v1/numbers/requirements',
    {
      access: scope('numbers'),
      schema: {
        summary: 'Addresses and bundles that a number of a country and a type can be bought with',
        querystring: NumberKind,
        response: { 200: BuyingRequirements, ...refusals(502, 503) },
      },
    },
    (request) => purchaseRequirements.list(request.caller, request.query),
  )

  server.post(
    '/v1/numbers/buy',
    {
      access: scope('numbers'),
      schema: {
        summary: 'Buy a number and route it to an agent',
        querystring: DryRun,
        body: BuyNumber,
        response: { 200: ImportedNumber, ...refusals(404, 409, 429, 502, 503) },
      },
    },
    (request) => numberPurchase.buy(request.caller, request.body, request.query),
  )
}
