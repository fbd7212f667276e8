import { badRequest, Refusal } from './refusals.ts'

const longest = 200

/** Nothing is called otherwise, and what is kept cannot hold a NUL. Which names there are, the gateway says. */
export const isName = (name: string) => name.length <= longest && !/\p{Cc}/u.test(name)

export const noSuchModel = () => new Refusal(400, 'BAD_MODEL', 'there is no model of that name')

export function refuseNoLanguage(value: unknown): asserts value is string {
  if (typeof value !== 'string' || !/^[a-z]{2}$/.test(value))
    throw badRequest('`language` is two small letters, such as en')
}
