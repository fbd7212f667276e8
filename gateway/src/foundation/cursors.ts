import { unprocessable } from './refusals.ts'

/** Where the next page of a listing begins, as text that only the listing reads. */
export const cursorOf = (...place: (string | number)[]): string =>
  Buffer.from(JSON.stringify(place)).toString('base64url')

type Places = { text: string; whole: number; number: number }

const fits: { [Form in keyof Places]: (part: unknown) => boolean } = {
  text: (part) => typeof part === 'string' && !part.includes('\0'),
  whole: (part) => Number.isSafeInteger(part),
  number: (part) => Number.isFinite(part),
}

/** What a cursor says, part by part of these forms. */
export function placeIn<const Forms extends readonly (keyof Places)[]>(
  cursor: string,
  ...forms: Forms
): { [Part in keyof Forms]: Places[Forms[Part]] } {
  const parts = partsOf(cursor)
  if (parts?.length !== forms.length || !forms.every((form, at) => fits[form](parts[at])))
    throw unprocessable('after: must be the next of the page before')
  return parts as unknown as { [Part in keyof Forms]: Places[Forms[Part]] }
}

function partsOf(cursor: string): unknown[] | undefined {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return Array.isArray(parts) ? parts : undefined
  } catch {
    return undefined
  }
}
