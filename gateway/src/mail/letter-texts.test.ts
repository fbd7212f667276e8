import assert from 'node:assert/strict'
import { test } from 'node:test'
import { letterText } from './letter-texts.ts'

const voices = { name: 'Voices', logo_url: null, accent: '#123456' }
const link = `https://switchroom.test/invitations/${'x'.repeat(43)}`
const linked = { name: 'Ana', orgName: 'Acme Ltd', link }
const timesIn = (text: string, part: string) => text.split(part).length - 1

test('an invitation and a reset hold one link, alone in its paragraph, and name the org (ID-165)', () => {
  for (const kind of ['invitation', 'reset'] as const) {
    const { subject, text } = letterText(voices, { kind, ...linked })
    assert.match(subject, /^Voices: /)
    assert.ok(text.includes(`\n\n${link}\n\n`))
    assert.equal(timesIn(text, 'http'), 1)
    assert.ok(text.includes('Hello Ana,') && text.includes('Acme Ltd'))
    assert.doesNotMatch(text, /svc_(?:live|test)_/)
  }
})

test('a sign-up letter holds the six digits once, the slug and name of the org, and the person (ID-129, ID-165)', () => {
  const org = { slug: 'acme', name: 'Acme Ltd' }
  const { subject, text } = letterText(voices, { kind: 'sign-up', person: 'Ana', org, code: '004217' })
  assert.match(subject, /^Voices: .*Acme Ltd/)
  assert.deepEqual((subject + text).match(/\d{6}/g), ['004217'])
  assert.ok(
    text.includes('\n\n004217\n\n') && text.includes('Acme Ltd (acme)') && text.includes('Hello Ana,'),
  )
})

test('a person who has an account, or an invitation, gets a letter that says so, with neither a code nor a link (ID-127, ID-165)', () => {
  for (const [kind, words] of [
    ['have-account', 'you have an account'],
    ['accept-first', 'accept your invitation first'],
  ] as const) {
    const { subject, text } = letterText(voices, { kind })
    assert.equal(subject, `Voices: ${words}`)
    assert.doesNotMatch(text, /http|\d{6}/)
  }
})

test('no name ends a header or a paragraph early, and a subject is not endless (T-88, ID-165)', () => {
  const broken = 'Acme\r\nBcc: eve@example.com\u2028x\n\nhttps://evil.example'
  const { subject, text } = letterText(
    { ...voices, name: 'Voi\nces' },
    {
      kind: 'invitation',
      ...linked,
      orgName: broken,
      name: broken,
    },
  )
  assert.doesNotMatch(subject, /[\r\n\u2028]/)
  assert.doesNotMatch(text, /^(?:Bcc|https:\/\/evil)/m)
  const long = letterText(voices, { kind: 'invitation', ...linked, orgName: 'x'.repeat(1000) })
  assert.equal(long.subject.length, 200)
})

test('a name that holds a link is left out of the letter, its subject and its page', () => {
  const evil = 'Your account is locked, visit https://evil.example'
  const letters = [
    letterText(voices, { kind: 'invitation', name: evil, orgName: evil, link }),
    letterText(voices, { kind: 'reset', name: evil, orgName: evil, link }),
    letterText(voices, { kind: 'sign-up', person: evil, org: { slug: 'acme', name: evil }, code: '004217' }),
  ]
  for (const { subject, text, html } of letters) {
    assert.doesNotMatch(subject + text + html, /evil|locked/)
    assert.ok(text.startsWith('Hello,\n'))
  }
  const [invitation, reset, signUp] = letters.map(({ subject, text }) => subject + text)
  assert.match(invitation ?? '', /^Voices: you are invited to an org/)
  assert.match(reset ?? '', /for your account in your org\. /)
  assert.match(signUp ?? '', /^Voices: your code for acme/)
})

test('the page of a letter says the same, offers its own link alone, and no name becomes markup (ID-165, T-88)', () => {
  const orgName = '<a href="/evil">Acme</a> & "Sons"'
  const { html, text } = letterText(voices, { kind: 'invitation', ...linked, orgName })
  assert.deepEqual(html.match(/href="[^"]*"/g), [`href="${link}"`])
  assert.ok(html.includes('&lt;a href=&quot;/evil&quot;&gt;Acme&lt;/a&gt; &amp; &quot;Sons&quot;'))
  assert.ok(text.includes(orgName))
  assert.doesNotMatch(html, /<img|<script|url\(/)
  const code = letterText(voices, {
    kind: 'sign-up',
    person: 'Ana',
    org: { slug: 'acme', name: 'Acme' },
    code: '004217',
  })
  assert.equal(timesIn(code.html, '004217'), 1)
  assert.doesNotMatch(code.html, /href/)
})
