import { Nothing } from '@switchroom/contract/shapes'
import { DiscoverProviders, ProviderOrgList } from '@switchroom/contract/sso'
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { open } from '../../http/access.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import type { PlaceTries } from '../tries/tries.ts'
import { browserCookie, browserIn } from '../login-codes/browser-cookie.ts'
import { lifetimeMs } from './begun-sign-ins.ts'
import type { Domains } from './domains.ts'
import type { Departure, ProviderSignIns } from './sign-in.ts'

const Begin = Type.Object({
  org: Type.Optional(Type.String({ description: "the org's slug" })),
  pairing: Type.Optional(Type.String({ description: 'the pairing code of a terminal that waits' })),
})

// The rules validate what the provider sends, because a browser cannot show a schema failure.
const sentBack = (description: string) => Type.Optional(Type.Unknown({ description }))
const Callback = Type.Object(
  {
    state: sentBack('as the provider was given it'),
    code: sentBack('what the provider exchanges for its word'),
    error: sentBack('why the provider refused'),
    iss: sentBack('the issuer that answers, if the provider says so'),
  },
  { additionalProperties: true }, // providers send more
)
const CallbackParams = Type.Object({ org: Type.String({ description: "the org's id" }) })

export function providerSignInRoutes(
  server: Server,
  domains: Domains,
  signIns: ProviderSignIns,
  placeTries: PlaceTries,
  baseUrl: string,
) {
  const depart = (reply: FastifyReply, { location, browser }: Departure) => {
    if (browser) reply.header('set-cookie', browserCookie(browser, lifetimeMs, baseUrl))
    return reply.redirect(location)
  }

  server.post(
    '/v1/login/sso/discover',
    {
      access: open,
      preHandler: placeTries.countTry,
      schema: {
        summary: 'The orgs whose provider signs in the domain of an address',
        body: DiscoverProviders,
        response: { 200: ProviderOrgList, ...refusals(429) },
      },
    },
    (request) => domains.discover(request.body, request.clientAddress),
  )

  server.get(
    '/v1/login/sso',
    {
      access: open,
      preHandler: placeTries.countTry,
      schema: {
        summary: "Start a sign-in at an org's provider",
        querystring: Begin,
        response: { 302: Nothing, ...refusals(404, 429) },
      },
    },
    async (request, reply) => {
      const { org = '', pairing = '' } = request.query
      return depart(reply, await signIns.begin(org, pairing))
    },
  )

  server.get(
    '/v1/login/sso/callback/:org',
    {
      access: open,
      schema: {
        summary: "Where an org's provider sends the browser back to",
        params: CallbackParams,
        querystring: Callback,
        response: { 302: Nothing, ...refusals(400) },
      },
    },
    async (request, reply) => {
      const arriving = { browser: browserIn(request.headers.cookie), from: request.clientAddress }
      return depart(reply, await signIns.finish(queryOf(request.url), arriving, request.params.org))
    },
  )

  server.get(
    '/v1/login/sso/callback',
    {
      access: open,
      schema: {
        summary: 'The former shared address: it refuses every sign-in and names the address to register',
        querystring: Callback,
        response: { 302: Nothing, ...refusals(400) },
      },
    },
    async (request, reply) => {
      const arriving = { browser: browserIn(request.headers.cookie), from: request.clientAddress }
      return depart(reply, await signIns.finish(queryOf(request.url), arriving))
    },
  )
}

const queryOf = (url: string) => new URLSearchParams(url.split('?')[1])
