/**
 * By what a number is known on the whole platform. A number is its own key; an extension is unique in its account
 * alone, so that the key of `201@acme` names the org too. No account's id has a slash.
 */
export const numberKey = (org: string, number: string): string =>
  number.includes('@') && !number.includes('/') ? `${number}/${org}` : number

/** As the org and its logs name it. */
export const shownNumber = (key: string): string => key.split('/', 1)[0] ?? key

export const isExtension = (number: string): boolean => number.includes('@')

/** The same in SQL, of a column or a parameter. */
export const shownColumn = (column: string): string => `split_part(${column}, '/', 1)`
