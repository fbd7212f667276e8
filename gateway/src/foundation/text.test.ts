import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressOf, cutToLine, lineOf, nameOf } from './text.ts'

test('an address is trimmed and lower-cased, and has one @ and a dot behind it (ID-13)', () => {
  assert.equal(addressOf('  Ana@X.Com '), 'ana@x.com')
  assert.equal(addressOf('a+b@sub.example.co'), 'a+b@sub.example.co')
  const wrong = [
    '',
    'ana',
    '@x.com',
    'ana@',
    'ana@x',
    'a@b@x.com',
    'a b@x.com',
    'a\n@x.com',
    'a@x..com',
    'a@.com',
    `${'a'.repeat(250)}@x.co`,
  ]
  for (const address of wrong)
    assert.throws(() => addressOf(address), { status: 400, message: 'that is not an email address' }, address)
})

test('a name or label is one line of 1 to 100 characters, counted in code points (ID-14)', () => {
  assert.equal(lineOf('name', ' Ana '), 'Ana')
  assert.equal(lineOf('label', '🎧'.repeat(100)), '🎧'.repeat(100))
  for (const wrong of ['', '   ', 'x'.repeat(101), 'a\nb', 'a\u0007b', 'a\u2028b', 'a\u2029b'])
    assert.throws(() => lineOf('label', wrong), {
      status: 400,
      message: 'a label is one line of 1 to 100 characters',
    })
})

test('a name holds no address and no link, in whatever script its dots are', () => {
  const links = [
    'https://evil.example',
    'evil.example',
    'x.com',
    'visit www.evil.example now',
    'http:evil',
    'MAILTO:eve',
    'eve@evil',
    'eve@evil.example',
    '192.0.2.7',
    'evil．example',
    'evil。example',
    'evil｡example',
    'evil\u200b.exam\u00adple',
    'ивил.рф',
  ]
  const message =
    'a name may hold no address and no link: write it without "@", "://" and dots between letters'
  for (const wrong of links) assert.throws(() => nameOf(wrong), { status: 400, message }, wrong)
  const names = [
    'Ana',
    'Dr. Ana Ruiz',
    'J. R. R. Tolkien',
    'J.R.R. Tolkien',
    'Acme S.r.l.',
    'Müller & Söhne e.V.',
    'AT&T @ Work',
    'Version 1.2',
    'Data: Acme',
  ]
  for (const right of names) assert.equal(nameOf(right), right)
})

test('a device is cut, never refused, and a blank one takes the default (ID-14, ID-15)', () => {
  assert.equal(cutToLine(undefined, 'sign-in'), 'sign-in')
  assert.equal(cutToLine('   ', 'sign-in'), 'sign-in')
  assert.equal(cutToLine('a\r\nb', 'sign-in'), 'a b')
  assert.equal(cutToLine('x'.repeat(200), 'sign-in'), 'x'.repeat(100))
})
