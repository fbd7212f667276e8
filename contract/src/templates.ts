import { Type, type Static } from 'typebox'
import { nullable, oneOf } from './shapes.ts'

/** The most characters of a template's variable. */
export const longestVariable = 1024

/** Something that the sender of a template fills in. */
export const TemplateVariable = Type.Object({
  name: Type.String({
    description:
      'as in the text, such as `1` or `guests`; `header.1`, `header.link` and `button.1` beside it',
  }),
  kind: oneOf(['text', 'link']),
  example: nullable(Type.String({ description: 'as the platform approved it' })),
})
export type TemplateVariable = Static<typeof TemplateVariable>

/** A message that the platform approved, in one language. */
export const MessageTemplate = Type.Object({
  name: Type.String(),
  language: Type.String(),
  category: Type.String({ description: 'such as UTILITY or MARKETING' }),
  header: nullable(Type.String()),
  body: Type.String({ description: 'with `{{1}}` or `{{guests}}` for each variable' }),
  footer: nullable(Type.String()),
  buttons: Type.Array(Type.String()),
  variables: Type.Array(TemplateVariable),
  unsupported: nullable(Type.String({ description: 'why it cannot be sent from here' })),
})
export type MessageTemplate = Static<typeof MessageTemplate>

export const TemplatesAsked = Type.Object({
  number: Type.Optional(Type.String({ description: 'of this number; needed if the agent has several' })),
  contact: Type.Optional(Type.String({ description: 'of the number that this contact wrote to' })),
})
export type TemplatesAsked = Static<typeof TemplatesAsked>

export const TemplateList = Type.Object({
  number: Type.String({ description: 'the number that they are sent from' }),
  templates: Type.Array(MessageTemplate),
})
export type TemplateList = Static<typeof TemplateList>

export const SendTemplate = Type.Object({
  name: Type.String(),
  language: Type.Optional(Type.String({ description: 'needed if it is approved in several' })),
  variables: Type.Optional(Type.Record(Type.String(), Type.String(), { description: 'each, by its name' })),
  number: Type.Optional(
    Type.String({
      description: 'default: the one that the contact wrote to, else the only one of the agent',
    }),
  ),
})
export type SendTemplate = Static<typeof SendTemplate>
