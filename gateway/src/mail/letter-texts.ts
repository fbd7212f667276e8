import type { Brand } from '@switchroom/contract/discovery'
import { codePoints, holdsLink } from '../foundation/text.ts'
import { letterHtml } from './letter-html.ts'

interface Linked {
  name: string
  orgName: string
  link: string
}

interface Matters {
  invitation: Linked
  reset: Linked
  'sign-up': { person: string; org: { slug: string; name: string }; code: string }
  'have-account': object
  'accept-first': object
  'webhook-paused': Linked & { host: string; env: string; since: string }
  test: object
}
type Kind = keyof Matters

/** What a letter is about. Everything it says follows from this. */
export type LetterMatter = { [Each in Kind]: { kind: Each } & Matters[Each] }[Kind]

interface Words {
  subject: string
  paragraphs: string[]
}

/** A name that was kept before links in names were refused, or that a provider gave, is left out. */
const withoutLink = (name: string, instead: string) => (holdsLink(name) ? instead : name)
const greeting = (name: string) => (holdsLink(name) ? 'Hello,' : `Hello ${name},`)

const words: { [Each in Kind]: (matter: Matters[Each]) => Words } = {
  invitation: ({ name, orgName, link }) => ({
    subject: `you are invited to ${withoutLink(orgName, 'an org')}`,
    paragraphs: [
      greeting(name),
      `you are invited to ${withoutLink(orgName, 'an org')}. Choose your password and create your account here:`,
      link,
      'The link works once, for one week. If you expected no invitation, ignore this email.',
    ],
  }),
  reset: ({ name, orgName, link }) => ({
    subject: 'choose a new password',
    paragraphs: [
      greeting(name),
      `a new password was requested for your account in ${withoutLink(orgName, 'your org')}. Choose it here:`,
      link,
      'The link works once, for one week. If it was not you, ignore this email: nothing changes.',
    ],
  }),
  'sign-up': ({ person, org, code }) => ({
    subject: `your code for ${withoutLink(org.name, org.slug)}`,
    paragraphs: [
      greeting(person),
      `this code finishes the sign-up of ${withoutLink(org.name, org.slug)} (${org.slug}):`,
      code,
      'It works for 15 minutes. If it was not you who signed up, ignore this email: nothing is made.',
    ],
  }),
  'have-account': () => ({
    subject: 'you have an account',
    paragraphs: [
      'Hello,',
      'this address was used to sign up, and you have an account already. Sign in with it instead, or ask for a new password if you forgot yours.',
      'If it was not you, ignore this email: nothing changes.',
    ],
  }),
  'accept-first': () => ({
    subject: 'accept your invitation first',
    paragraphs: [
      'Hello,',
      'this address was used to sign up, and you are invited to an org already. Accept that invitation first: the link is in the invitation email, and the person who invited you can send another.',
      'If it was not you, ignore this email: nothing changes.',
    ],
  }),
  'webhook-paused': ({ name, orgName, host, env, since, link }) => ({
    subject: `a webhook of ${withoutLink(orgName, 'your org')} is paused`,
    paragraphs: [
      greeting(name),
      `no event could be delivered to the webhook at ${host} in ${env} since ${since}, so it is paused. Events wait for three days. Look at what it answered, and resume it here:`,
      link,
      'You get this email because you are an admin of the org.',
    ],
  }),
  test: () => ({
    subject: 'a test email',
    paragraphs: ['Hello,', 'this is a test email. It arrived.'],
  }),
}

export interface LetterText {
  subject: string
  text: string
  html: string
}

/** A letter as it reads: the brand in its subject, a link or a code alone in its paragraph; and the same as a page. */
export function letterText(brand: Brand, matter: LetterMatter): LetterText {
  const wordsOf = words[matter.kind] as (matter: LetterMatter) => Words // TypeScript does not pair the two
  const { subject, paragraphs } = wordsOf(matter)
  const lines = paragraphs.map(oneLine)
  const standout = 'link' in matter ? matter.link : 'code' in matter ? matter.code : undefined
  return {
    subject: cut(oneLine(`${brand.name}: ${subject}`)),
    text: `${[...lines, `-- \n${oneLine(brand.name)}`].join('\n\n')}\n`,
    html: letterHtml(brand, lines, standout),
  }
}

/** Names are typed by people: none of them may end a header early, or write a paragraph of its own. */
const oneLine = (text: string) => text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')

const cut = (subject: string) => codePoints(subject).slice(0, 200).join('')
