import {
  numberTypes,
  type BuyNumber,
  type ForSaleAsked,
  type NumberKind,
  type NumberType,
} from '@switchroom/contract/numbers'
import { badRequest, unprocessable } from '../../foundation/refusals.ts'
import { readAgent, readChannel, readNumber } from './number-parsing.ts'

/** Numbers of a country and a type, every value judged. */
export interface AskedKind {
  country: string
  type: NumberType
}

/** What a search looks for. */
export interface AskedNumbers extends AskedKind {
  areaCode: string | undefined
  contains: string | undefined
}

export interface AskedSearch extends AskedNumbers {
  /** The id of an address at the carrier, or `none`; unset, also numbers that need one are found. */
  address: string | undefined
  limit: number
}

export interface AskedPurchase extends AskedNumbers {
  agent: string
  /** Chosen of a search. */
  number: string | undefined
  /** Ids at the carrier. */
  address: string | undefined
  bundle: string | undefined
}

/** A choice that fits a screen. */
export const usualLimit = 20
const mostFound = 100

export function readKind({ country, type = 'local' }: NumberKind): AskedKind {
  if (!/^[A-Za-z]{2}$/.test(country)) throw unprocessable('country: must be two letters')
  const known = numberTypes.find((one) => one === type)
  if (!known) throw unprocessable('type: must be local, mobile, national or toll-free')
  return { country: country.toUpperCase(), type: known }
}

export function readSearch(asked: ForSaleAsked): AskedSearch {
  const numbers = readNumbers(asked)
  const { address, limit } = asked
  return {
    ...numbers,
    address: address === 'none' ? address : readAddress(address),
    limit: limit === undefined ? usualLimit : readLimit(limit),
  }
}

export function readPurchase(body: BuyNumber): AskedPurchase {
  const agent = readAgent(body.agent)
  const numbers = readNumbers(body)
  const address = readAddress(body.address)
  const bundle = readBundle(body.bundle)
  if (readChannel(body.channel) === 'msgapp') throw badRequest('channel: only phone numbers are for sale')
  const number = body.number === undefined ? undefined : readNumber(body.number)
  if (number !== undefined && (numbers.areaCode ?? numbers.contains) !== undefined)
    throw badRequest(
      'name number, or else area_code and contains: a chosen number is bought without a search',
    )
  return { agent, ...numbers, number, address, bundle }
}

function readNumbers(asked: NumberKind & { area_code?: string; contains?: string }): AskedNumbers {
  const kind = readKind(asked)
  const { area_code: areaCode, contains } = asked
  if (areaCode !== undefined && !/^[0-9]{1,6}$/.test(areaCode))
    throw unprocessable('area_code: must be 1 to 6 digits')
  if (contains !== undefined && !/^(?=(?:\**[0-9A-Za-z]){2})[0-9A-Za-z*]{2,16}$/.test(contains))
    throw unprocessable('contains: must be 2 to 16 digits, letters and *, of which two or more are not *')
  return { ...kind, areaCode, contains }
}

function readLimit(said: string): number {
  const limit = /^[0-9]{1,3}$/.test(said) ? Number(said) : 0
  if (limit < 1 || limit > mostFound) throw unprocessable(`limit: must be 1 to ${mostFound}`)
  return limit
}

const readAddress = (said: string | undefined) => readId('address', /^AD[0-9a-fA-F]{32}$/, said)
const readBundle = (said: string | undefined) => readId('bundle', /^BU[0-9a-fA-F]{32}$/, said)

function readId(field: 'address' | 'bundle', form: RegExp, said: string | undefined): string | undefined {
  if (said === undefined || form.test(said)) return said
  throw unprocessable(`${field}: must be the id of one that GET /v1/numbers/requirements lists`)
}

/** Tells two purchases apart: one that broke off is taken up by a request that asks for the same. */
export function searchOf({ country, areaCode = '', ...asked }: AskedPurchase): string {
  const { type, contains, number, address, bundle } = asked
  const more = Object.entries({
    type: type === 'local' ? undefined : type,
    contains,
    number,
    address,
    bundle,
  })
  return [
    `${country} ${areaCode}`,
    ...more.flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`])),
  ].join(' ')
}

/** What was looked for, in a sentence. */
export function describe({ country, type, areaCode, contains }: AskedNumbers): string {
  const kind = type === 'local' ? 'number' : `${type} number`
  const marks = [
    ...(areaCode === undefined ? [] : [`with the area code ${areaCode}`]),
    ...(contains === undefined ? [] : [`that contains ${contains}`]),
  ]
  return [`${kind} for sale in ${country}`, ...marks].join(' ')
}
