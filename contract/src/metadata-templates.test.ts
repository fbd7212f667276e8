import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fillTemplate, templateFault } from './metadata-templates.ts'

test('names in braces are filled from metadata, as plain text', () => {
  const metadata = { name: 'Ana', 'order.id': 42, vip: true, html: '<b>&{{name}}\\{{' }
  assert.equal(fillTemplate('Hello {{name}}, order {{ order.id }}.', metadata), 'Hello Ana, order 42.')
  assert.equal(fillTemplate('{{vip}} {{html}}', metadata), 'true <b>&{{name}}\\{{') // nothing is filled twice
  assert.equal(fillTemplate('{"a": {"b": 1}} } }} {', metadata), '{"a": {"b": 1}} } }} {')
})

test('a name that is missing is replaced by what stands after the bar, or by nothing', () => {
  for (const metadata of [{}, { name: null }, { name: '' }, { name: ' ' }, { name: {} }, { name: ['a'] }])
    assert.equal(fillTemplate('Hello {{name| there }}!{{name}}', metadata), 'Hello there!')
  for (const name of ['toString', '__proto__', 'constructor'])
    assert.equal(fillTemplate(`{{${name}|none}}`, {}), 'none')
})

test('a text that is no template is refused in a sentence, and is left as it is where it was kept before', () => {
  const open = 'opens {{ without a name and }} after it: write \\{{ for two braces'
  const named = (name: string) =>
    `names {{${name}}}: a name is letters, digits, _, . and -, as in {{name}} or {{name|there}}`
  const cases: [text: string, fault: string][] = [
    ['Hello {{name', open],
    ['Hello {{name}', open],
    ['{{', open],
    ['{{{name}}}', open],
    ['{{first name}}', named('first name')],
    ['{{}}', named('')],
    ['{{#if vip}}', named('#if vip')],
    [`{{${'x'.repeat(65)}}}`, named('x'.repeat(64))],
    ['{{a}}'.repeat(101), 'has more than 100 names in braces'],
  ]
  for (const [text, fault] of cases) assert.equal(templateFault(text), fault, text)
  for (const [text] of cases.slice(0, -1))
    assert.equal(fillTemplate(text, { name: 'Ana' }).includes('{{'), true)
  for (const text of ['', 'Hello', '{ {name} }', '\\{{name}}', '{{name|}}', '{{a}}'.repeat(100)])
    assert.equal(templateFault(text), undefined, text)
  assert.equal(fillTemplate('\\{{name}}', { name: 'Ana' }), '{{name}}')
})

test('a value has at most 500 characters, and a text at most 100 of them', () => {
  const long = '😀'.repeat(10_000)
  assert.equal(fillTemplate('{{a}}', { a: long }), '😀'.repeat(500))
  assert.ok(fillTemplate('{{a}}'.repeat(20_000), { a: long }).length < 300_000)
})
