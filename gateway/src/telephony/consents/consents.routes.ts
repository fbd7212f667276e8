import {
  DoNotCallAsked,
  DoNotCallPage,
  ImportDoNotCall,
  ImportedDoNotCall,
  NumberConsents,
  NumberParams,
  RecordConsent,
} from '@switchroom/contract/consents'
import { scope } from '../../http/access.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import type { Consents } from './consents.ts'

export function consentRoutes(server: Server, consents: Consents) {
  server.post(
    '/v1/org/consents',
    {
      access: scope('talk'),
      schema: {
        summary: 'Record that a person agreed to be called; it takes their number off the do-not-call list',
        body: RecordConsent,
        response: { 200: NumberConsents },
      },
    },
    (request) => consents.record(request.caller, request.body),
  )

  server.get(
    '/v1/org/consents/:number',
    {
      access: scope('calls'),
      schema: {
        summary: 'The consents and opt-outs of a number, and its current standing',
        params: NumberParams,
        response: { 200: NumberConsents, ...refusals(404) },
      },
    },
    (request) => consents.read(request.caller, request.params.number),
  )

  server.delete(
    '/v1/org/consents/:number',
    {
      access: scope('talk'),
      schema: {
        summary: 'Put a number on the do-not-call list; what was said before is kept',
        params: NumberParams,
        response: { 200: NumberConsents, ...refusals(404) },
      },
    },
    (request) => consents.optOut(request.caller, request.params.number),
  )

  server.get(
    '/v1/org/dnc',
    {
      access: scope('calls'),
      schema: {
        summary: 'The do-not-call list: the numbers whose newest fact is an opt-out',
        querystring: DoNotCallAsked,
        response: { 200: DoNotCallPage },
      },
    },
    (request) => consents.listed(request.caller, request.query),
  )

  server.post(
    '/v1/org/dnc',
    {
      access: scope('talk'),
      schema: {
        summary: 'Put numbers on the do-not-call list: your own, or what you found in the national registry',
        body: ImportDoNotCall,
        response: { 200: ImportedDoNotCall },
      },
    },
    (request) => consents.importList(request.caller, request.body),
  )
}
