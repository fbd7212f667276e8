// Texts with names of a call's metadata in braces: `Hello {{name}}`, or `Hello {{name|there}}` with what stands for a
// name that is missing. `\{{` is two braces.

/** Of one text. */
const mostNames = 100
/** In characters, of one value. */
const longestValue = 500
const nameForm = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/
const braces = /\\\{\{|\{\{(?:([^{}|]*)(?:\|([^{}]*))?\}\})?/g

/** What is wrong with a text, as the end of a sentence; undefined if nothing is. */
export function templateFault(text: string): string | undefined {
  let names = 0
  for (const [whole, name] of text.matchAll(braces)) {
    if (whole === '\\{{') continue
    if (name === undefined) return 'opens {{ without a name and }} after it: write \\{{ for two braces'
    if (!nameForm.test(name.trim()))
      return `names {{${name.slice(0, 64)}}}: a name is letters, digits, _, . and -, as in {{name}} or {{name|there}}`
    names += 1
  }
  return names > mostNames ? `has more than ${mostNames} names in braces` : undefined
}

/** The text with the values of a call; what is malformed stays as it is. */
export function fillTemplate(text: string, metadata: Readonly<Record<string, unknown>>): string {
  let names = 0
  return text.replace(braces, (whole: string, name?: string, fallback = '') => {
    if (whole === '\\{{') return '{{'
    const known = name?.trim() ?? ''
    if (!nameForm.test(known) || names >= mostNames) return whole
    names += 1
    return valueOf(metadata, known) ?? fallback.trim()
  })
}

/** Text, numbers and true or false; anything else, and blank text, counts as missing. */
function valueOf(metadata: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = Object.hasOwn(metadata, name) ? metadata[name] : undefined
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (typeof value !== 'string' || value.trim() === '') return undefined
  return Array.from(value.slice(0, 2 * longestValue))
    .slice(0, longestValue)
    .join('')
}
