import type { Tool } from '@switchroom/kit/vendor'

interface Field {
  type?: unknown
  enum?: unknown
}

/** The tool whose name a person said, underscores as spaces: the longest, where several were. */
export function toolSaid(words: string, tools: readonly Tool[]): Tool | undefined {
  const said = plain(words)
  return tools
    .filter(({ name }) => said.includes(plain(name)))
    .toSorted((a, b) => b.name.length - a.name.length)[0]
}

/** What the words say about the tool's simple fields; others are left out. */
export function argumentsSaid(words: string, { name, parameters }: Tool): Record<string, unknown> {
  const { properties = {} } = parameters as { properties?: Record<string, Field> }
  const rest = ` ${words} `.replace(new RegExp(spaced(name), 'iu'), ' ')
  const fields = Object.entries(properties)
  const numbers = [...rest.matchAll(/-?\d+(?:[.,]\d+)?/gu)].map(([number]) =>
    Number(number.replace(',', '.')),
  )
  const found = fields.map(([field, { type, enum: choices }]) => {
    const after = new RegExp(`${spaced(field)}(?:\\s+(?:is|to|es|é))?[\\s:=]+(.+)`, 'isu').exec(rest)?.[1]
    if (Array.isArray(choices))
      return [field, choices.find((choice) => plain(rest).includes(plain(String(choice))))]
    if (type === 'number' || type === 'integer') return [field, numberIn(after) ?? numbers.shift()]
    if (type === 'boolean') return [field, new RegExp(spaced(field), 'iu').test(rest) || undefined]
    return [
      field,
      type === 'string' && after !== undefined
        ? upToNext(
            after,
            fields.map(([other]) => other),
          )
        : undefined,
    ]
  })
  return Object.fromEntries(found.filter(([, value]) => value !== undefined))
}

function numberIn(words: string | undefined): number | undefined {
  const found = /-?\d+(?:[.,]\d+)?/u.exec(words ?? '')?.[0]
  return found === undefined ? undefined : Number(found.replace(',', '.'))
}

/** The words up to the next field's name, a comma or the end of the sentence. */
function upToNext(words: string, fields: string[]): string | undefined {
  const next = new RegExp(
    `\\s(?:(?:and|y|e)\\s+)?(?:${fields.map(spaced).join('|')})\\b|[,;!?]|\\.(?:\\s|$)`,
    'iu',
  )
  return words.split(next)[0]?.trim() || undefined
}

const plain = (text: string) =>
  ` ${text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()} `
const spaced = (name: string) => RegExp.escape(name).replaceAll(/(?:_|\\x2d)+/gu, '[\\s_-]+')
