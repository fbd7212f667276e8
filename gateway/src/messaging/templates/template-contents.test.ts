import assert from 'node:assert/strict'
import { test } from 'node:test'
import { templatesIn } from '../platform/platform-templates.ts'
import { filledTemplate, refuseUnsupported, shownTemplate } from './template-contents.ts'

// As the platform's documentation shows its templates.
const read = (template: object) => {
  const [found] = templatesIn([{ name: 'reservation', language: 'en_US', category: 'UTILITY', ...template }])
  assert.ok(found)
  return found
}

const positional = read({
  parameter_format: 'POSITIONAL',
  components: [
    { type: 'HEADER', format: 'TEXT', text: 'Hello {{1}}!', example: { header_text: ['Ana'] } },
    {
      type: 'BODY',
      text: 'Your table for {{1}} is booked, {{2}}. See you, {{2}}!',
      example: { body_text: [['4', 'Ana']] },
    },
    { type: 'FOOTER', text: 'Lucky Shrub' },
    {
      type: 'BUTTONS',
      buttons: [
        { type: 'QUICK_REPLY', text: 'Change' },
        {
          type: 'URL',
          text: 'See',
          url: 'https://shrub.example/r/{{1}}',
          example: ['https://shrub.example/r/7'],
        },
      ],
    },
  ],
})
const values = { 'header.1': 'Eva', 1: '4', 2: 'Eva', 'button.2': 'x7' }

test('a template is shown with its parts and every variable, by the name it has in the text', () => {
  assert.deepEqual(shownTemplate(positional), {
    name: 'reservation',
    language: 'en_US',
    category: 'UTILITY',
    header: 'Hello {{1}}!',
    body: 'Your table for {{1}} is booked, {{2}}. See you, {{2}}!',
    footer: 'Lucky Shrub',
    buttons: ['Change', 'See'],
    variables: [
      { name: 'header.1', kind: 'text', example: 'Ana' },
      { name: '1', kind: 'text', example: '4' },
      { name: '2', kind: 'text', example: 'Ana' },
      { name: 'button.2', kind: 'text', example: 'https://shrub.example/r/7' },
    ],
    unsupported: null,
  })
})

test('positional variables are sent in their order, each in its component, and the text is what the contact reads', () => {
  const { content, text } = filledTemplate(positional, values)
  assert.deepEqual(content, {
    name: 'reservation',
    language: { code: 'en_US' },
    components: [
      { type: 'header', parameters: [{ type: 'text', text: 'Eva' }] },
      {
        type: 'body',
        parameters: [
          { type: 'text', text: '4' },
          { type: 'text', text: 'Eva' },
        ],
      },
      { type: 'button', sub_type: 'url', index: '1', parameters: [{ type: 'text', text: 'x7' }] },
    ],
  })
  assert.equal(text, 'Hello Eva!\n\nYour table for 4 is booked, Eva. See you, Eva!\n\nLucky Shrub')
})

test('positional variables are sent by their numbers, also if the text has them in another order', () => {
  const turned = read({ components: [{ type: 'BODY', text: '{{2}}, see you at {{10}} or {{1}}' }] })
  const { content, text } = filledTemplate(turned, { 1: 'one', 2: 'Ana', 10: 'ten' })
  assert.deepEqual(content.components, [
    { type: 'body', parameters: ['one', 'Ana', 'ten'].map((each) => ({ type: 'text', text: each })) },
  ])
  assert.equal(text, 'Ana, see you at ten or one')
})

test('named variables are sent with their names, and a header of a file as its link', () => {
  const named = read({
    parameter_format: 'NAMED',
    components: [
      { type: 'HEADER', format: 'IMAGE', example: { header_handle: ['https://files.example/a.jpg'] } },
      {
        type: 'BODY',
        text: 'For {{number_of_guests}} on {{day}}.',
        example: { body_text_named_params: [{ param_name: 'number_of_guests', example: '4' }] },
      },
    ],
  })
  assert.deepEqual(shownTemplate(named).variables, [
    { name: 'header.link', kind: 'link', example: 'https://files.example/a.jpg' },
    { name: 'number_of_guests', kind: 'text', example: '4' },
    { name: 'day', kind: 'text', example: null },
  ])
  const link = 'https://files.example/table.jpg'
  const { content, text } = filledTemplate(named, {
    'header.link': link,
    number_of_guests: '2',
    day: 'Monday',
  })
  assert.deepEqual(content.components, [
    { type: 'header', parameters: [{ type: 'image', image: { link } }] },
    {
      type: 'body',
      parameters: [
        { type: 'text', parameter_name: 'number_of_guests', text: '2' },
        { type: 'text', parameter_name: 'day', text: 'Monday' },
      ],
    },
  ])
  assert.equal(text, `${link}\n\nFor 2 on Monday.`)
  assert.throws(
    () => filledTemplate(named, { 'header.link': 'http://x', number_of_guests: '2', day: 'Monday' }),
    { status: 422, message: 'variables.header.link: must be an https address' },
  )
})

test('variables that are missing, unknown, blank, too long or broken into lines are refused', () => {
  const exactly = 'variables: must be exactly "header.1", "1", "2", "button.2"'
  const { 2: _two, ...missing } = values
  for (const wrong of [{}, missing, { ...values, 3: 'x' }])
    assert.throws(() => filledTemplate(positional, wrong), { status: 422, message: exactly })
  const unfit =
    'variables.1: must be 1 to 1024 characters, without line breaks, tabs or more than four spaces in a row'
  for (const value of ['', '  ', 'x'.repeat(1025), 'a\nb', 'a\tb', 'a     b'])
    assert.throws(() => filledTemplate(positional, { ...values, 1: value }), { status: 422, message: unfit })
  const plain = read({ components: [{ type: 'BODY', text: 'Hello' }] })
  assert.throws(() => filledTemplate(plain, { 1: 'x' }), {
    status: 422,
    message: 'variables: this template has none',
  })
  assert.deepEqual(filledTemplate(plain, {}).content.components, [])
})

test('a template with parts that cannot be filled in here says so, and is refused', () => {
  const body = { type: 'BODY', text: 'Hello' }
  for (const [template, why] of [
    [{ category: 'AUTHENTICATION', components: [body] }, 'codes to sign in with are not sent from here'],
    [{ components: [body, { type: 'CAROUSEL' }] }, 'its part carousel cannot be filled in here'],
    [
      { components: [{ type: 'HEADER', format: 'LOCATION' }, body] },
      'its header is a place, which cannot be filled in here',
    ],
    [
      { components: [body, { type: 'BUTTONS', buttons: [{ type: 'COPY_CODE', text: 'Copy' }] }] },
      'its button “Copy” (copy_code) cannot be filled in here',
    ],
  ] as const) {
    const strange = read(template)
    assert.equal(shownTemplate(strange).unsupported, why)
    assert.throws(() => refuseUnsupported(strange), {
      status: 422,
      message: `name: the template reservation cannot be sent: ${why}`,
    })
  }
})
