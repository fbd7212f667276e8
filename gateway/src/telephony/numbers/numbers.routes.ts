import {
  ApprovedNumber,
  AvailableNumbers,
  BuyNumber,
  DryRun,
  ImportedNumber,
  ImportNumber,
  MoveNumber,
  NumberList,
  NumberParams,
  NumberPath,
  TypeNumber,
  WaitingNumbers,
} from '@switchroom/contract/numbers'
import { Nothing } from '@switchroom/contract/shapes'
import { operator, scope } from '../../http/access.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import type { Available } from './account-numbers.ts'
import type { Buying } from '../number-changes/number-purchase.ts'
import type { HookedApprovals } from '../admission/hooked-approvals.ts'
import type { Importing } from '../number-changes/number-import.ts'
import type { LettingGo } from '../number-changes/number-release.ts'
import type { Moving } from '../number-changes/number-move.ts'
import type { Numbers } from './numbers.ts'

export interface NumberRouteParts {
  numbers: Numbers
  availableNumbers: Available
  importing: Importing
  buying: Buying
  moving: Moving
  lettingGo: LettingGo
  hookedApprovals: HookedApprovals
}

export function numberRoutes(server: Server, parts: NumberRouteParts) {
  const { numbers, availableNumbers, importing, buying, moving, lettingGo } = parts

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
    (request) => availableNumbers.list(request.caller),
  )

  server.get(
    '/v1/numbers/:number/path',
    {
      access: scope('numbers'),
      schema: {
        summary: 'Why a number rings, or why not',
        params: NumberParams,
        response: { 200: NumberPath, ...refusals(404) },
      },
    },
    (request) => numbers.path(request.caller, request.params.number),
  )

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
    (request) => importing.import(request.caller, request.body, request.query),
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
    (request) => buying.buy(request.caller, request.body, request.query),
  )

  server.put(
    '/v1/numbers/:number/env',
    {
      access: scope('numbers'),
      schema: {
        summary: 'Move a number into the other environment',
        params: NumberParams,
        body: MoveNumber,
        response: { 200: ImportedNumber, ...refusals(404, 409, 429, 502, 503) },
      },
    },
    (request) => moving.move(request.caller, request.params.number, request.body),
  )

  server.delete(
    '/v1/numbers/:number',
    {
      access: scope('numbers'),
      schema: {
        summary: 'Let a number go; its account keeps it',
        params: NumberParams,
        response: { 204: Nothing, ...refusals(404, 503) },
      },
    },
    async (request, reply) => {
      await lettingGo.letGo(request.caller, request.params.number)
      return reply.code(204).send()
    },
  )

  operatorNumberRoutes(server, parts)
}

function operatorNumberRoutes(server: Server, { importing, hookedApprovals }: NumberRouteParts) {
  server.get(
    '/v1/ops/numbers',
    {
      access: operator,
      schema: { summary: 'Hooked numbers that wait for approval', response: { 200: WaitingNumbers } },
    },
    () => hookedApprovals.list(),
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
    (request) => importing.type(request.operator, request.body),
  )

  server.post(
    '/v1/ops/numbers/:number/approve',
    {
      access: operator,
      schema: {
        summary: 'Let a hooked number ring',
        params: NumberParams,
        response: { 200: ApprovedNumber, ...refusals(404) },
      },
    },
    (request) => hookedApprovals.approve(request.operator, request.params.number),
  )
}
