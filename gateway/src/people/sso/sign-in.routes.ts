import { Nothing } from '@switchroom/contract/shapes'
import { DiscoverProviders, ProviderOrgList } from '@switchroom/contract/sso'
import { Type } from 'typebox'
import { open } from '../../http/access.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import { browserCookie, browserIn } from './browser-cookie.ts'
import type { Domains } from './domains.ts'
import type { ProviderSignIns } from './sign-in.ts'

const Begin = Type.Object({
  org: Type.Optional(Type.String({ description: "the org's slug" })),
  pairing: Type.Optional(Type.String({ description: 'the word of a terminal that waits' })),
})

// Whatever the provider sends back is judged by the rules: a browser cannot read a refused shape.
const sentBack = (description: string) => Type.Optional(Type.Unknown({ description }))
const Callback = Type.Object({
  state: sentBack('as the provider was given it'),
  code: sentBack('what the provider exchanges for its word'),
  error: sentBack('why the provider refused'),
})

export function providerSignInRoutes(
  server: Server,
  domains: Domains,
  signIns: ProviderSignIns,
  baseUrl: string,
) {
  server.post(
    '/v1/login/sso/discover',
    {
      access: open,
      schema: {
        summary: 'The orgs whose provider signs in the domain of an address',
        body: DiscoverProviders,
        response: { 200: ProviderOrgList, ...refusals(429) },
      },
    },
    (request) => domains.discover(request.body, request.place),
  )

  server.get(
    '/v1/login/sso',
    {
      access: open,
      schema: {
        summary: "Begin to sign in at an org's provider",
        querystring: Begin,
        response: { 302: Nothing, ...refusals(404) },
      },
    },
    async (request, reply) => {
      const { location, browser } = await signIns.begin(request.query.org ?? '', request.query.pairing ?? '')
      if (browser) reply.header('set-cookie', browserCookie(browser, baseUrl))
      return reply.redirect(location)
    },
  )

  server.get(
    '/v1/login/sso/callback',
    {
      access: open,
      schema: {
        summary: 'Where a provider sends the browser back to',
        querystring: Callback,
        response: { 302: Nothing, ...refusals(400) },
      },
    },
    async (request, reply) => {
      const sent = new URLSearchParams(request.url.split('?')[1])
      const { location } = await signIns.finish(sent, browserIn(request.headers.cookie), request.place)
      return reply.redirect(location)
    },
  )
}
