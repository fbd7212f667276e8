import type { FastifyError } from 'fastify'
import { badRequest, type Refusal, unprocessable } from '../foundation/refusals.ts'

const typeNames: Record<string, string> = {
  string: 'a string',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
}

interface Misshapen {
  validation?: FastifyError['validation']
  /** Which part of a request it is, or `frame`. */
  validationContext?: string | undefined
}

/** A body of the wrong shape is 422; a query value that a rule of the schema refuses is 400. */
export function sentenceOf(error: Misshapen): Refusal {
  const failure = error.validation?.[0]
  const path = failure?.instancePath.split('/').slice(1).map(unescaped) ?? []
  const part = error.validationContext === 'querystring' ? 'query' : (error.validationContext ?? 'body')
  const { keyword, params = {}, message = 'is not of its shape' } = failure ?? {}

  if (keyword === 'required')
    return unprocessable(`${[...path, String(params['missingProperty'])].join('.')}: is required`)
  const field = path.join('.') || part
  if (keyword === 'type') return unprocessable(`${field}: must be ${typeName(path, params['type'])}`)
  return badRequest(`${field}: ${message}`)
}

const unescaped = (pointer: string) => pointer.replaceAll('~1', '/').replaceAll('~0', '~')

function typeName(path: string[], type: unknown): string {
  if (path.length === 0) return 'a JSON object'
  const types = Array.isArray(type) ? type.map(String) : [String(type)]
  return types.map((name) => typeNames[name] ?? name).join(' or ')
}
