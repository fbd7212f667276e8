import { extensionForm, isEmergency } from '@switchroom/contract/extensions'
import {
  e164,
  numberChannels,
  type ImportNumber,
  type NumberChannel,
  type TypeNumber,
} from '@switchroom/contract/numbers'
import { environments, type Environment } from '@switchroom/contract/scopes'
import { slugForm } from '../../agents/scope.ts'
import { badRequest, listed, unprocessable } from '../../foundation/refusals.ts'
import { cutToLine } from '../../foundation/text.ts'
import type { Catalogue } from '../carriers/catalogue.ts'
import { readNetworks } from '../carriers/network-parsing.ts'

/** What an import asks for, every value judged. */
export interface AskedImport {
  /** Of an extension its digits. */
  number: string
  isExtension: boolean
  agent: string
  channel: NumberChannel
  account: string | undefined
  move: boolean
  /** Where the org points the number here itself: through which carrier, or from which of its own networks. */
  hooked: Comes | undefined
}

export interface Comes {
  via: string | null
  networks: string[]
}

export function readImport(body: ImportNumber, catalogue: Catalogue): AskedImport {
  const agent = readAgent(body.agent)
  const channel = readChannel(body.channel)
  const isExtension = body.extension !== undefined
  const number = isExtension ? readExtension(body) : readNumber(body.number)
  const { account, move = false, hooked = false } = body
  if (isExtension && (hooked || channel === 'msgapp'))
    throw badRequest('extension: belongs to a SIP account, and is neither hooked nor a messaging number')
  if (hooked && channel === 'msgapp') throw badRequest('hooked: a messaging number is never hooked')
  const comes = hooked ? readComes(body, catalogue) : undefined
  return { number, isExtension, agent, channel, account, move, hooked: comes }
}

function readExtension({ number, extension = '' }: ImportNumber): string {
  if (number !== undefined) throw badRequest('name a number or an extension, not both')
  if (!extensionForm.test(extension))
    throw badRequest(`extension: ${cutToLine(extension, 'that')} is not one, as 1 to 8 digits`)
  if (isEmergency(extension))
    throw badRequest(`extension: ${extension} is an emergency number, and no agent answers those`)
  return extension
}

function readComes({ via, networks }: ImportNumber, catalogue: Catalogue): Comes {
  if (via !== undefined && networks !== undefined)
    throw badRequest('name via or networks, not both: a number comes through one of them')
  if (networks !== undefined) return { via: null, networks: readNetworks('networks', networks) }
  return { via: readVia(via, catalogue), networks: [] }
}

function readVia(said: string | undefined, catalogue: Catalogue): string {
  const kinds = catalogue.all.map(({ kind }) => kind)
  const via = said ?? kinds[0]
  if (via === undefined || !kinds.includes(via))
    throw badRequest(`via: must be a carrier of the catalogue: ${listed(kinds) || 'it has none'}`)
  return via
}

export interface AskedTyping {
  number: string
  agent: string
  env: Environment
  channel: NumberChannel
  via: string | null
}

export function readTyping(body: TypeNumber, catalogue: Catalogue): AskedTyping {
  const agent = readAgent(body.agent)
  const env = readEnvironment(body.env)
  const channel = readChannel(body.channel)
  const number = readNumber(body.number)
  return { number, agent, env, channel, via: channel === 'phone' ? readVia(body.via, catalogue) : null }
}

export function readEnvironment(said: string): Environment {
  const env = environments.find((known) => known === said)
  if (!env) throw unprocessable('env: must be sandbox or production')
  return env
}

export function readAgent(said: string): string {
  if (!slugForm.test(said))
    throw unprocessable('agent: must be lower-case letters, digits, dashes and underscores, at most 63')
  return said
}

export function readChannel(said: string = 'phone'): NumberChannel {
  const channel = numberChannels.find((known) => known === said)
  if (!channel) throw badRequest('channel: must be phone or msgapp, the others have no numbers')
  return channel
}

export function readNumber(said: string = ''): string {
  if (said === '') throw badRequest('number: is required, in E.164 such as +14155550123')
  if (!e164.test(said))
    throw badRequest(`number: ${cutToLine(said, 'that')} is not in E.164, as + and 7 to 15 digits`)
  return said
}
