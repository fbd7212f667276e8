import type { SendTemplate, TemplateList, TemplatesAsked } from '@switchroom/contract/templates'
import type { WrittenToThread } from '@switchroom/contract/threads'
import type { Database } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import { conflict, listed, notFound, unprocessable } from '../../foundation/refusals.ts'
import { newId } from '../../foundation/secrets.ts'
import { standingOf } from '../../telephony/consents/consent-facts.ts'
import type { ConversationCalls } from '../conversations/conversation-calls.ts'
import type { AccessTokens } from '../platform/access-tokens.ts'
import type { MessagingPlatform } from '../platform/messaging-platform.ts'
import type { PlatformTemplate } from '../platform/platform-templates.ts'
import { threadAgentOf, type ThreadAgent, type Threads } from '../threads/threads.ts'
import { filledTemplate, refuseUnsupported, shownTemplate } from './template-contents.ts'
import * as store from './template-numbers.store.ts'

export interface TemplatesParts {
  database: Database
  threads: Pick<Threads, 'refuseUnknown'>
  conversationCalls: ConversationCalls
  accessTokens: AccessTokens
  messagingPlatform: MessagingPlatform
}

interface Sender {
  number: string
  phoneNumberId: string
}

/** Messages that the platform approved: they reach a contact also more than 24 hours after they wrote. */
export class Templates {
  readonly #parts: TemplatesParts

  constructor(parts: TemplatesParts) {
    this.#parts = parts
  }

  async list(caller: Caller, agent: string, { number, contact }: TemplatesAsked): Promise<TemplateList> {
    const of = threadAgentOf(caller, agent)
    const sender = await this.#sender(of, contact?.replace(/^ /, '+') ?? null, number?.replace(/^ /, '+'))
    const templates = await this.#approved(of, sender)
    return { number: sender.number, templates: templates.map(shownTemplate) }
  }

  /** As the agent, in the contact's open conversation or in one that opens with it. */
  async send(
    caller: Caller,
    agent: string,
    contact: string,
    { name, language, number, variables = {} }: SendTemplate,
  ): Promise<WrittenToThread> {
    const { database, threads, conversationCalls } = this.#parts
    const of = threadAgentOf(caller, agent)
    await threads.refuseUnknown(of, contact)
    if ((await standingOf(database, of.org, contact)) === 'opted_out')
      throw conflict(`${contact} opted out of being contacted: no template is sent to them`)
    const sender = await this.#sender(of, contact, number)
    const template = chosenFrom(await this.#approved(of, sender), name, language)
    refuseUnsupported(template)
    const { content, text } = filledTemplate(template, variables)
    const by = caller.subject || caller.label
    const data = { text, messageId: newId('msg', 12), source: 'human', by, template: content }
    const call = await database.transaction((tx) =>
      conversationCalls.putOutgoing(
        tx,
        { ...of, ...sender, contact, name: null },
        { type: 'agent.message', data },
      ),
    )
    return { contact, call }
  }

  async #sender(of: ThreadAgent, contact: string | null, number: string | undefined): Promise<Sender> {
    const numbers = await store.listNumbers(this.#parts.database, of, contact)
    if (numbers.length === 0)
      throw conflict(`no number on the messaging platform leads to ${of.agent}: route one to it`)
    const chosen = number === undefined ? onlyOne(numbers) : numbers.find((one) => one.number === number)
    if (!chosen) throw notFound(`${number} is no number on the messaging platform that leads to ${of.agent}`)
    if (chosen.phone_number_id === null)
      throw conflict(`no contact has written to ${chosen.number} yet, so its id at the platform is not known`)
    return { number: chosen.number, phoneNumberId: chosen.phone_number_id }
  }

  async #approved({ org }: ThreadAgent, { phoneNumberId }: Sender): Promise<PlatformTemplate[]> {
    const { accessTokens, messagingPlatform } = this.#parts
    const accessToken = await accessTokens.tokenFor(org, phoneNumberId)
    if (accessToken === undefined)
      throw conflict(
        'no access token for templates: add the number’s account, or set SVC_MSGAPP_ACCESS_TOKEN',
      )
    return messagingPlatform.templates(phoneNumberId, accessToken)
  }
}

/** The one that the contact knows, else the agent's only one. */
function onlyOne(numbers: readonly store.AgentNumber[]): store.AgentNumber | undefined {
  const [first, ...others] = numbers
  if (first?.is_contacts || others.length === 0) return first
  throw conflict(`name the number to send from: ${listed(numbers.map(({ number }) => number))}`)
}

function chosenFrom(
  approved: readonly PlatformTemplate[],
  name: string,
  language: string | undefined,
): PlatformTemplate {
  const named = approved.filter((template) => template.name === name)
  const languages = listed(named.map((template) => template.language))
  const found = language === undefined ? named : named.filter((template) => template.language === language)
  const [first, ...others] = found
  if (first && others.length === 0) return first
  if (named.length === 0)
    throw notFound(`there is no approved template ${name}: GET …/templates lists those that are`)
  if (!first) throw notFound(`the template ${name} is approved in ${languages}, not in ${language}`)
  throw unprocessable(`language: name one, for ${name} is approved in ${languages}`)
}
