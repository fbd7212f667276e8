import {
  AccountAsked,
  AskedNetwork,
  AskedNetworks,
  CarrierAccount,
  CarrierCatalogue,
  CarrierList,
  FirewallList,
  NetworksAsked,
  PutCarrier,
} from '@switchroom/contract/carriers'
import { Nothing } from '@switchroom/contract/shapes'
import { Type } from 'typebox'
import { operator, scope } from '../../http/access.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import type { CarrierAccounts } from './accounts.ts'
import type { Catalogue } from './catalogue.ts'
import type { Firewall } from './firewall.ts'
import type { Networks } from './networks.ts'

interface Carriers {
  carrierAccounts: CarrierAccounts
  carrierCatalogue: Catalogue
  networks: Networks
  firewall: Firewall
}

export function carrierRoutes(server: Server, parts: Carriers) {
  accountRoutes(server, parts.carrierAccounts, parts.carrierCatalogue)
  networkRoutes(server, parts.networks, parts.firewall)
}

function accountRoutes(server: Server, accounts: CarrierAccounts, catalogue: Catalogue) {
  server.put(
    '/v1/carrier',
    {
      access: scope('numbers'),
      schema: {
        summary: 'Add an account at a carrier or at the messaging platform, or replace the fields of one',
        body: PutCarrier,
        response: { 200: CarrierAccount, ...refusals(409, 502) },
      },
    },
    (request) => accounts.put(request.caller, request.body),
  )

  server.get(
    '/v1/carrier',
    {
      access: scope('numbers'),
      schema: {
        summary: 'One account, without its secrets',
        querystring: AccountAsked,
        response: { 200: CarrierAccount, ...refusals(404, 409) },
      },
    },
    (request) => accounts.read(request.caller.org, request.query.account),
  )

  server.delete(
    '/v1/carrier',
    {
      access: scope('numbers'),
      schema: {
        summary: 'Forget an account; its numbers stay routed until each is released',
        querystring: AccountAsked,
        response: { 204: Nothing, ...refusals(404, 409) },
      },
    },
    async (request, reply) => {
      await accounts.forget(request.caller, request.query.account)
      return reply.code(204).send()
    },
  )

  server.get(
    '/v1/carriers',
    {
      access: scope('numbers'),
      schema: { summary: "The org's accounts, oldest first", response: { 200: CarrierList } },
    },
    (request) => accounts.list(request.caller.org),
  )

  server.get(
    '/v1/carriers/catalog',
    {
      access: scope('numbers'),
      schema: { summary: 'The carriers that numbers may come through', response: { 200: CarrierCatalogue } },
    },
    () => catalogue.read(),
  )
}

const Params = Type.Object({ id: Type.String() })

function networkRoutes(server: Server, networks: Networks, firewall: Firewall) {
  server.get(
    '/v1/ops/networks',
    {
      access: operator,
      schema: {
        summary: 'Networks that orgs send calls from, oldest first',
        querystring: NetworksAsked,
        response: { 200: AskedNetworks },
      },
    },
    (request) => networks.list(request.query.state),
  )

  server.post(
    '/v1/ops/networks/:id/approve',
    {
      access: operator,
      schema: {
        summary: 'Let an org send calls from a network; its numbers are admitted at once',
        params: Params,
        response: { 200: AskedNetwork, ...refusals(404) },
      },
    },
    (request) => networks.approve(request.operator, request.params.id),
  )

  server.post(
    '/v1/ops/networks/:id/refuse',
    {
      access: operator,
      schema: {
        summary: 'Refuse calls from a network; numbers that have no other network are taken off at once',
        params: Params,
        response: { 200: AskedNetwork, ...refusals(404) },
      },
    },
    (request) => networks.refuse(request.operator, request.params.id),
  )

  server.get(
    '/v1/ops/firewall',
    {
      access: operator,
      schema: { summary: 'Who may reach port 5060', response: { 200: FirewallList } },
    },
    () => firewall.read(),
  )
}
