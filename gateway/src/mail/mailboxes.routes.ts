import { Mailbox, MailboxWrite, PlatformMailbox, SentLetter, TestLetter } from '@switchroom/contract/mail'
import { Nothing } from '@switchroom/contract/shapes'
import { operator, scope } from '../http/access.ts'
import { refusals } from '../http/refusals.ts'
import type { Server } from '../http/server.ts'
import type { Letters } from './letters.ts'
import type { Mailboxes } from './mailboxes.ts'

export function mailboxRoutes(server: Server, mailboxes: Mailboxes, letters: Letters) {
  orgMailboxRoutes(server, mailboxes, letters)
  platformMailboxRoutes(server, mailboxes)
}

function orgMailboxRoutes(server: Server, mailboxes: Mailboxes, letters: Letters) {
  server.get(
    '/v1/org/mail',
    { access: scope('team'), schema: { summary: "The org's own mailbox", response: { 200: Mailbox } } },
    (request) => mailboxes.read(request.caller.org),
  )

  server.put(
    '/v1/org/mail',
    {
      access: scope('team'),
      schema: {
        summary: 'Keep the SMTP account the org sends by',
        body: MailboxWrite,
        response: { 200: Mailbox },
      },
    },
    (request) => mailboxes.keep(request.caller, request.body),
  )

  server.delete(
    '/v1/org/mail',
    {
      access: scope('team'),
      schema: { summary: "Go back to the platform's mailbox", response: { 204: Nothing, ...refusals(404) } },
    },
    async (request, reply) => {
      await mailboxes.forget(request.caller)
      return reply.code(204).send()
    },
  )

  server.post(
    '/v1/org/mail/test',
    {
      access: scope('team'),
      schema: {
        summary: 'Send one letter and wait for it',
        body: TestLetter,
        response: { 200: SentLetter, ...refusals(409, 429) },
      },
    },
    (request) => letters.sendTest(request.caller.org, request.body),
  )
}

function platformMailboxRoutes(server: Server, mailboxes: Mailboxes) {
  server.get(
    '/v1/ops/mail',
    {
      access: operator,
      schema: { summary: "The platform's mailbox", response: { 200: PlatformMailbox } },
    },
    () => mailboxes.readPlatform(),
  )

  server.put(
    '/v1/ops/mail',
    {
      access: operator,
      schema: {
        summary: "Replace the platform's stored mailbox",
        body: MailboxWrite,
        response: { 200: PlatformMailbox },
      },
    },
    (request) => mailboxes.keepPlatform(request.operator, request.body),
  )

  server.delete(
    '/v1/ops/mail',
    {
      access: operator,
      schema: { summary: "Forget the platform's stored mailbox", response: { 204: Nothing } },
    },
    async (request, reply) => {
      await mailboxes.forgetPlatform(request.operator)
      return reply.code(204).send()
    },
  )

  server.post(
    '/v1/ops/mail/test',
    {
      access: operator,
      schema: {
        summary: "Send one letter by the platform's mailbox and wait for it",
        body: TestLetter,
        response: { 200: SentLetter, ...refusals(409) },
      },
    },
    (request) => mailboxes.sendTest('platform', request.body),
  )
}
