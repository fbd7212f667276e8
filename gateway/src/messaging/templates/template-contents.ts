import { longestVariable, type MessageTemplate, type TemplateVariable } from '@switchroom/contract/templates'
import { unprocessable } from '../../foundation/refusals.ts'
import { codePoints } from '../../foundation/text.ts'
import type { TemplateContent } from '../platform/messaging-platform.ts'
import type { PlatformComponent, PlatformTemplate } from '../platform/platform-templates.ts'

/** A variable, and where it goes in the request. */
interface Slot extends TemplateVariable {
  /** The component of the request that it is in; of a button with its place. */
  component: { type: 'header' | 'body' } | { type: 'button'; sub_type: 'url'; index: string }
  /** The placeholder in the text. */
  placeholder: string
  parameterOf: (value: string) => object
}

const placeholder = /\{\{\s*(\w+)\s*\}\}/g
/** Headers with a file, which is sent as a link. */
const fileFormats = new Set(['IMAGE', 'VIDEO', 'DOCUMENT'])
const knownTypes = new Set(['HEADER', 'BODY', 'FOOTER', 'BUTTONS'])
const plainButtons = new Set(['QUICK_REPLY', 'PHONE_NUMBER', 'URL'])

const placeholdersIn = (text: string) => [
  ...new Set([...text.matchAll(placeholder)].map(([, name]) => String(name))),
]

/** As people and programs see it. */
export function shownTemplate(template: PlatformTemplate): MessageTemplate {
  const { name, language, category, components } = template
  const of = (type: string) => components.find((component) => component.type === type)
  const header = of('HEADER')
  return {
    name,
    language,
    category,
    header: header ? header.text || `[${(header.format ?? 'header').toLowerCase()}]` : null,
    body: of('BODY')?.text ?? '',
    footer: of('FOOTER')?.text || null,
    buttons: of('BUTTONS')?.buttons.map(({ text }) => text) ?? [],
    variables: slotsOf(template).map(({ name: variable, kind, example }) => ({
      name: variable,
      kind,
      example,
    })),
    unsupported: whyUnsupported(template),
  }
}

/** What is sent, and what the contact reads. Refuses variables that do not fit the template. */
export function filledTemplate(
  template: PlatformTemplate,
  values: Readonly<Record<string, string>>,
): { content: TemplateContent; text: string } {
  const slots = slotsOf(template)
  refuseOthers(slots, values)
  for (const slot of slots) refuseUnfit(slot, values[slot.name] ?? '')
  const components = Object.values(Object.groupBy(slots, ({ component }) => JSON.stringify(component))).map(
    (some = []) => ({
      ...some[0]?.component,
      parameters: some.map(({ name, parameterOf }) => parameterOf(values[name] ?? '')),
    }),
  )
  const { name, language } = template
  return {
    content: { name, language: { code: language }, components },
    text: textOf(template, slots, values),
  }
}

function slotsOf({ components, isNamed }: PlatformTemplate): Slot[] {
  return components.flatMap((component) => {
    if (component.type === 'HEADER') return headerSlots(component, isNamed)
    if (component.type === 'BODY') return textSlots(component, isNamed, 'body', '')
    if (component.type !== 'BUTTONS') return []
    return component.buttons.flatMap(({ type, url, example }, at): Slot[] =>
      type !== 'URL'
        ? []
        : placeholdersIn(url).map((name) => ({
            name: `button.${at + 1}`,
            kind: 'text',
            example,
            component: { type: 'button', sub_type: 'url', index: String(at) },
            placeholder: name,
            parameterOf: (text) => ({ type: 'text', text }),
          })),
    )
  })
}

function headerSlots(header: PlatformComponent, isNamed: boolean): Slot[] {
  const { format, examples } = header
  if (format === null || !fileFormats.has(format)) return textSlots(header, isNamed, 'header', 'header.')
  const type = format.toLowerCase()
  return [
    {
      name: 'header.link',
      kind: 'link',
      example: exampleOf(examples, 0, ''),
      component: { type: 'header' },
      placeholder: '',
      parameterOf: (link) => ({ type, [type]: { link } }),
    },
  ]
}

const textSlots = (
  { text, examples }: PlatformComponent,
  isNamed: boolean,
  type: 'header' | 'body',
  prefix: string,
): Slot[] =>
  inOrder(placeholdersIn(text), isNamed).map((name, at) => ({
    name: `${prefix}${name}`,
    kind: 'text',
    example: exampleOf(examples, at, name),
    component: { type },
    placeholder: name,
    parameterOf: (value) => ({ type: 'text', ...(isNamed && { parameter_name: name }), text: value }),
  }))

/** The platform fills `{{2}}` with the second value, also if it is the first in the text. */
const inOrder = (names: readonly string[], isNamed: boolean) =>
  isNamed ? names : names.toSorted((one, other) => Number(one) - Number(other))

const exampleOf = (examples: PlatformComponent['examples'], at: number, name: string): string | null =>
  (Array.isArray(examples) ? examples[at] : (examples as Record<string, string>)[name]) || null

/** Null if it can be sent. */
function whyUnsupported({ category, components }: PlatformTemplate): string | null {
  if (category === 'AUTHENTICATION') return 'codes to sign in with are not sent from here'
  const strange = components.find(({ type }) => !knownTypes.has(type))
  if (strange) return `its part ${strange.type.toLowerCase()} cannot be filled in here`
  const header = components.find(({ type, format }) => type === 'HEADER' && format === 'LOCATION')
  if (header) return 'its header is a place, which cannot be filled in here'
  const button = components.flatMap(({ buttons }) => buttons).find(({ type }) => !plainButtons.has(type))
  return button ? `its button “${button.text}” (${button.type.toLowerCase()}) cannot be filled in here` : null
}

/** Why no template can be sent with it; refused before anything is filled in. */
export function refuseUnsupported(template: PlatformTemplate) {
  const why = whyUnsupported(template)
  if (why !== null) throw unprocessable(`name: the template ${template.name} cannot be sent: ${why}`)
}

function refuseOthers(slots: readonly Slot[], values: Readonly<Record<string, string>>) {
  const names = slots.map(({ name }) => name)
  const isWhole = names.every((name) => name in values)
  if (isWhole && Object.keys(values).length === names.length) return
  throw unprocessable(
    names.length === 0
      ? 'variables: this template has none'
      : `variables: must be exactly ${names.map((name) => `"${name}"`).join(', ')}`,
  )
}

function refuseUnfit({ name, kind }: Slot, value: string) {
  if (kind === 'link') {
    if (!/^https:\/\/\S+$/.test(value)) throw unprocessable(`variables.${name}: must be an https address`)
    return
  }
  const length = codePoints(value).length
  if (value.trim() === '' || length > longestVariable || /[\n\r\t]| {5}/.test(value))
    throw unprocessable(
      `variables.${name}: must be 1 to ${longestVariable} characters, without line breaks, tabs or more than four spaces in a row`,
    )
}

function textOf(
  { components }: PlatformTemplate,
  slots: readonly Slot[],
  values: Readonly<Record<string, string>>,
): string {
  const filled = (type: 'header' | 'body', text: string) =>
    text.replace(placeholder, (whole, name: string) => {
      const slot = slots.find((one) => one.component.type === type && one.placeholder === name)
      return (slot && values[slot.name]) ?? whole
    })
  const lines = components.map(({ type, text }) => {
    if (type === 'HEADER') return text === '' ? (values['header.link'] ?? '') : filled('header', text)
    if (type === 'BODY') return filled('body', text)
    return type === 'FOOTER' ? text : ''
  })
  return lines.filter((line) => line !== '').join('\n\n')
}
