/** A template as the platform lists it. What it may hold beside this is the platform's own. */
export interface PlatformTemplate {
  name: string
  language: string
  category: string
  isNamed: boolean
  components: readonly PlatformComponent[]
}

export interface PlatformComponent {
  /** In capitals, such as HEADER, BODY, FOOTER or BUTTONS. */
  type: string
  /** Of a header: TEXT, or the kind of its file. */
  format: string | null
  text: string
  buttons: readonly PlatformButton[]
  /** Examples of its variables in order, or by their names. */
  examples: readonly string[] | Readonly<Record<string, string>>
}

export interface PlatformButton {
  type: string
  text: string
  url: string
  example: string | null
}

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const fieldsIn = (list: unknown): Fields[] => (Array.isArray(list) ? list.filter(isFields) : [])
const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')
const textsIn = (list: unknown): string[] => (Array.isArray(list) ? list.map(textIn) : [])

/** The templates on a page of the platform's list. */
export const templatesIn = (data: unknown): PlatformTemplate[] =>
  fieldsIn(data).flatMap((template) => {
    const [name, language] = [textIn(template['name']), textIn(template['language'])]
    if (name === '' || language === '') return []
    return {
      name,
      language,
      category: textIn(template['category']),
      isNamed: textIn(template['parameter_format']).toUpperCase() === 'NAMED',
      components: fieldsIn(template['components']).map(componentOf),
    }
  })

const componentOf = (component: Fields): PlatformComponent => ({
  type: textIn(component['type']).toUpperCase(),
  format: textIn(component['format']).toUpperCase() || null,
  text: textIn(component['text']),
  buttons: fieldsIn(component['buttons']).map((button) => ({
    type: textIn(button['type']).toUpperCase(),
    text: textIn(button['text']),
    url: textIn(button['url']),
    example: textsIn(button['example'])[0] ?? null,
  })),
  examples: examplesIn(component['example']),
})

function examplesIn(example: unknown): PlatformComponent['examples'] {
  if (!isFields(example)) return []
  const named = [
    ...fieldsIn(example['body_text_named_params']),
    ...fieldsIn(example['header_text_named_params']),
  ]
  if (named.length > 0)
    return Object.fromEntries(named.map((one) => [textIn(one['param_name']), textIn(one['example'])]))
  const { body_text, header_text, header_handle } = example
  const [first] = Array.isArray(body_text) ? (body_text as unknown[]) : []
  return [...textsIn(first), ...textsIn(header_text), ...textsIn(header_handle)]
}
