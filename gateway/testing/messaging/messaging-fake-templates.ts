/** A message template as the platform lists it. */
export interface TemplateFake {
  id: string
  /** Of the business account that it belongs to. */
  business_account: string
  name: string
  language: string
  status: string
  category: string
  parameter_format: 'POSITIONAL' | 'NAMED'
  components: TemplateComponentFake[]
}

export interface TemplateComponentFake {
  type: string
  format?: string
  text?: string
  buttons?: { type: string; text?: string; url?: string; example?: unknown }[]
  example?: unknown
}

/** A refusal of the platform: HTTP status, code, title and explanation. */
export interface PlatformRefusal {
  status: number
  code: number
  title: string
  details: string
}

type Fields = Record<string, unknown>

const fieldsIn = (list: unknown): Fields[] => (Array.isArray(list) ? (list as Fields[]) : [])

const placeholdersIn = (text = '') => [
  ...new Set([...text.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map(([, name]) => String(name))),
]

/** What the platform refuses of a template that is sent; undefined if it takes it. */
export function refusalOf(sent: Fields, templates: readonly TemplateFake[]): PlatformRefusal | undefined {
  const code = (sent['language'] as { code?: unknown } | undefined)?.code
  const template = templates.find(({ name, language }) => name === sent['name'] && language === code)
  if (!template || !['APPROVED', 'PAUSED'].includes(template.status))
    return {
      status: 404,
      code: 132001,
      title: 'Template name does not exist in the translation',
      details: `template name (${String(sent['name'])}) does not exist in ${String(code)}`,
    }
  if (template.status === 'PAUSED')
    return {
      status: 400,
      code: 132015,
      title: 'Template is Paused',
      details: 'It is paused due to low quality',
    }
  const parts = fieldsIn(sent['components'])
  const of = (type: string) => parts.find((part) => String(part['type']).toLowerCase() === type)
  for (const component of template.components) {
    const refusal = componentRefusal(component, template, of, parts)
    if (refusal) return refusal
  }
  return undefined
}

function componentRefusal(
  { type, format, text, buttons }: TemplateComponentFake,
  { parameter_format }: TemplateFake,
  of: (type: string) => Fields | undefined,
  parts: readonly Fields[],
): PlatformRefusal | undefined {
  const kind = type.toLowerCase()
  if (kind === 'header' && format !== undefined && format !== 'TEXT') {
    const [given] = fieldsIn(of('header')?.['parameters'])
    const wanted = format.toLowerCase()
    if (given?.['type'] === wanted) return undefined
    const received = typeof given?.['type'] === 'string' ? given['type'].toUpperCase() : 'UNKNOWN'
    const details = `header: Format mismatch, expected ${format}, received ${received}`
    return {
      status: 400,
      code: 132012,
      title: 'Parameter format does not match format in the created template',
      details,
    }
  }
  if (kind === 'header' || kind === 'body')
    return textRefusal(kind, placeholdersIn(text), fieldsIn(of(kind)?.['parameters']), parameter_format)
  for (const [index, button] of (buttons ?? []).entries()) {
    const needs =
      (button.type === 'URL' && placeholdersIn(button.url).length > 0) || button.type === 'COPY_CODE'
    const given = parts.find((part) => part['type'] === 'button' && String(part['index']) === String(index))
    if (needs && fieldsIn(given?.['parameters']).length !== 1)
      return {
        status: 400,
        code: 131008,
        title: 'Required parameter is missing',
        details: `buttons: Button at index ${index} of type ${button.type} requires a parameter`,
      }
  }
  return undefined
}

function textRefusal(
  kind: string,
  wanted: readonly string[],
  given: readonly Fields[],
  form: 'POSITIONAL' | 'NAMED',
): PlatformRefusal | undefined {
  if (given.length !== wanted.length)
    return {
      status: 400,
      code: 132000,
      title: 'Number of parameters does not match the expected number of params',
      details: `${kind}: number of localizable_params (${given.length}) does not match the expected number of params (${wanted.length})`,
    }
  const names = new Set(given.map((parameter) => parameter['parameter_name']))
  if (form === 'NAMED' && !wanted.every((name) => names.has(name)))
    return {
      status: 400,
      code: 100,
      title: 'Invalid parameter',
      details: 'Parameter name is missing or empty',
    }
  const isFlat = ({ type, text }: Fields) =>
    type === 'text' && typeof text === 'string' && text !== '' && !/[\n\t]| {5}/.test(text)
  if (given.every(isFlat)) return undefined
  return {
    status: 400,
    code: 132018,
    title: 'There’s an issue with the parameters in your template',
    details: 'Param text cannot have new-line/tab characters or more than 4 consecutive spaces',
  }
}
