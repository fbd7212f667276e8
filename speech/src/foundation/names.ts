import { badRequest, Refusal } from './refusals.ts'

const longest = 200

/** No longer name exists, and a database cannot hold a NUL. The gateway knows which names exist. */
export const isName = (name: string) => name.length <= longest && !/\p{Cc}/u.test(name)

export const noSuchModel = () => new Refusal(400, 'BAD_MODEL', 'there is no model of that name')

export function refuseNoLanguage(value: unknown): asserts value is string {
  if (typeof value !== 'string' || !/^[a-z]{2}$/.test(value))
    throw badRequest('`language` is two small letters, such as en')
}
