import {
  e164,
  numberChannels,
  type BuyNumber,
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
  number: string
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
  const number = readNumber(body.number)
  const { account, move = false, hooked = false } = body
  if (hooked && channel === 'msgapp') throw badRequest('hooked: a messaging number is never hooked')
  return { number, agent, channel, account, move, hooked: hooked ? readComes(body, catalogue) : undefined }
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

export interface AskedPurchase {
  agent: string
  country: string
  areaCode: string | undefined
}

export function readPurchase(body: BuyNumber): AskedPurchase {
  const agent = readAgent(body.agent)
  if (!/^[A-Za-z]{2}$/.test(body.country)) throw unprocessable('country: must be two letters')
  if (body.area_code !== undefined && !/^[0-9]{1,6}$/.test(body.area_code))
    throw unprocessable('area_code: must be 1 to 6 digits')
  if (readChannel(body.channel) === 'msgapp') throw badRequest('channel: only phone numbers are for sale')
  return { agent, country: body.country.toUpperCase(), areaCode: body.area_code }
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

function readAgent(said: string): string {
  if (!slugForm.test(said))
    throw unprocessable('agent: must be lower-case letters, digits, dashes and underscores, at most 63')
  return said
}

function readChannel(said: string = 'phone'): NumberChannel {
  const channel = numberChannels.find((known) => known === said)
  if (!channel) throw badRequest('channel: must be phone or msgapp, the others have no numbers')
  return channel
}

function readNumber(said: string = ''): string {
  if (said === '') throw badRequest('number: is required, in E.164 such as +14155550123')
  if (!e164.test(said))
    throw badRequest(`number: ${cutToLine(said, 'that')} is not in E.164, as + and 7 to 15 digits`)
  return said
}
