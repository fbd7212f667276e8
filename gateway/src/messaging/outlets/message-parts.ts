import type { Content, TemplateContent } from '../platform/messaging-platform.ts'

/** What the platform takes in one message. */
const longestPart = 4096

/** What an agent's message sends: a template, or its text in parts. */
export function contentsOf({ text, template }: Readonly<Record<string, unknown>>): Content[] {
  if (typeof template === 'object' && template !== null) {
    const { name, language, components } = template as TemplateContent
    return [{ type: 'template', template: { name, language, components } }]
  }
  return typeof text === 'string' ? partsOf(text).map((body) => ({ type: 'text', text: { body } })) : []
}

/** A turn in parts that the platform takes, cut at white space if there is some; nothing of a blank one. */
export function partsOf(text: string): string[] {
  const parts: string[] = []
  let rest = text.trim()
  while (rest.length > longestPart) {
    const end = endOfPart(rest)
    parts.push(rest.slice(0, end).trimEnd())
    rest = rest.slice(end).trimStart()
  }
  return rest === '' ? parts : [...parts, rest]
}

function endOfPart(text: string): number {
  const head = text.slice(0, longestPart + 1)
  const space = head.search(/\s\S*$/)
  if (space > 0) return space
  const isPairCut = /[\uD800-\uDBFF]$/.test(text.slice(0, longestPart))
  return isPairCut ? longestPart - 1 : longestPart
}
