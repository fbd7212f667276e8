import { requirementId, type Item } from './requirements-documents.ts'

export const usage = `How many requirements the names of tests name.

  npm run requirements                     each section: named of all
  npm run requirements -- I 4.3            the ids of section 4.3 of document 1 that no test names
  npm run requirements -- ND messaging     the same of decisions (ID, SD, ND) and traps (T, ST)
  npm run requirements -- --all            every requirement that no test names
  npm run requirements -- --decisions      decisions and traps instead of requirements, also with --all`

/** The lines to print for the words typed, or null for words that mean nothing. */
export function report(words: string[], items: Item[], named: Set<Item>, unclear: string[]): string[] | null {
  const flags = new Set(words.filter((word) => word.startsWith('--')))
  const [prefix, ...section] = words.filter((word) => !word.startsWith('--'))
  if ([...flags].some((flag) => flag !== '--all' && flag !== '--decisions')) return null

  if (prefix !== undefined) {
    const ofPrefix = items.filter(({ id }) => id.startsWith(`${prefix.toUpperCase()}-`))
    if (ofPrefix.length === 0) return null
    return unnamed(ofPrefix.filter(mentions(section.join(' '))), named)
  }

  const isAsked = flags.has('--decisions') ? isDecision : isRequirement
  const asked = items.filter(isAsked)
  if (flags.has('--all')) return unnamed(asked, named)
  if (!flags.has('--decisions')) return [...sections(asked, named), '', total('requirements', asked, named)]
  return [
    ...sections(asked, named),
    '',
    total(
      'decisions',
      asked.filter((item) => !isTrap(item)),
      named,
    ),
    total('traps', asked.filter(isTrap), named),
    ...unclear.map((name) => `whose trap is meant? ${name}`),
  ]
}

function unnamed(items: Item[], named: Set<Item>): string[] {
  return items
    .filter((item) => !named.has(item))
    .map(({ id, document, where, text }) => {
      const place = id.startsWith('T-') ? `document ${document}` : where
      return [id, place, text].filter(Boolean).join('  ')
    })
}

function sections(items: Item[], named: Set<Item>): string[] {
  const bySection = Map.groupBy(
    items,
    ({ document, section, id }) => `${id.split('-')[0]} ${document}  ${section}`,
  )
  return [...bySection].map(([title, inside]) => `${count(inside, named)}  ${title}`)
}

function total(what: string, items: Item[], named: Set<Item>): string {
  return `${count(items, named)} ${what} are named by a test`
}

function count(items: Item[], named: Set<Item>): string {
  const done = items.filter((item) => named.has(item)).length
  return `${String(done).padStart(4)} of ${String(items.length).padStart(4)}`
}

/** 4.1 is found in "A.4.1 Voices" and not in "4.10" or "14.1". */
function mentions(words: string): (item: Item) => boolean {
  const literal = words.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
  const wanted = new RegExp(String.raw`(?<!\d)${literal}(?!\d)`, 'i')
  return ({ where, section }) => wanted.test(where) || wanted.test(section)
}

function isRequirement({ id }: Item): boolean {
  return requirementId.test(id)
}

function isDecision(item: Item): boolean {
  return !isRequirement(item)
}

function isTrap({ id }: Item): boolean {
  return /^S?T-/.test(id)
}
