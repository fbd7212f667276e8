import { cursorOf } from '@switchroom/gateway/foundation/cursors'
import { words } from './volume-calls.ts'
import { largeAgent, largeOrg, smallOrg, type VolumeShape } from './volume-shape.ts'

/** What is asked of the API over and over, and how long it may take. */
export interface RequestClass {
  name: string
  org: string
  method?: 'DELETE'
  /** A refusal that is as good an answer. */
  orStatus?: number
  path: (draw: Draw) => string
  p50Ms?: number
  p99Ms: number
}

export interface Draw {
  /** A whole number from 0. */
  below: (bound: number) => number
  /** One of the org's calls. */
  call: () => string
}

const q = (query: Record<string, string | number>) =>
  new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString()
const sessions = (query: Record<string, string | number>) => `/v1/sessions?${q(query)}`
const mobile = (n: number) => `+346${String(n).padStart(8, '0')}`

/** Every class of statement, for a small org, a large one, and the large one's agent. */
export const requestClasses = (shape: VolumeShape): RequestClass[] => [
  ...[smallOrg, largeOrg].flatMap((org) => ofOrg(org, shape)),
  ...ofLargeAgent(shape),
  ...erasures(shape),
]

const ofOrg = (org: string, { calls }: VolumeShape): RequestClass[] => {
  const of = (name: string, p99Ms: number, path: RequestClass['path']) => ({ name, org, path, p99Ms })
  const search = (name: string, said: RequestClass['path']) =>
    of(`search: ${name}`, 100, (draw) => sessions({ q: said(draw) }))
  return [
    of('whoami', 25, () => '/v1/whoami'),
    of('sessions: first page', 50, () => '/v1/sessions'),
    of('sessions: deep', 50, ({ below }) => sessions({ after: cursorOf(below(calls)) })),
    of('sessions: state', 50, () => sessions({ state: 'open' })),
    of('sessions: channel', 50, () => sessions({ channel: 'msgapp' })),
    of('sessions: agent', 50, () => sessions({ agent: 'a3' })),
    of('sessions: agent and rare channel', 50, () => sessions({ agent: 'a3', channel: 'web' })),
    of('sessions: agent, channel, state', 50, () =>
      sessions({ agent: 'a3', channel: 'chat', state: 'ended' }),
    ),
    search('common word', () => words.common),
    search('middling word', () => words.middling),
    search('middling words, with others', () => `${words.middling} w1`),
    search('rare word', () => words.rare),
    search('absent word', () => words.absent),
    search('any word', ({ below }) => `w${Math.round(30_000 ** (below(1000) / 1000))}`),
    search('a number', ({ below }) => mobile(below(10_000))),
    search('the first digits of many numbers', ({ below }) => `+346000${below(100)}`),
    search('a call', ({ call }) => call()),
    of('search: middling word, deep', 100, ({ below }) =>
      sessions({ q: words.middling, after: cursorOf(below(calls)) }),
    ),
    of('search: middling word of an agent', 100, () => sessions({ q: words.middling, agent: 'a3' })),
    of('search: absent word of an agent', 100, () => sessions({ q: words.absent, agent: 'a3' })),
    of('log of a call', 25, ({ call }) => `/v1/calls/${call()}/events`),
    of('log of a call, from a cursor', 25, ({ call }) => `/v1/calls/${call()}/events?after=7`),
    of('threads: page', 50, () => '/v1/agents/a3/threads?limit=50&turns=1'),
    of('do-not-call: page', 15, () => '/v1/org/dnc'),
    of('dials: page', 50, () => '/v1/org/dials'),
    of('callbacks: page', 50, () => '/v1/callbacks'),
    of('drift', 100, () => '/v1/insights/drift?agent=a3&before=v1&after=v2&team=true'),
    of('numbers', 100, () => '/v1/numbers'),
    {
      ...of(
        'dial decision',
        25,
        ({ below }) => `/v1/agents/a1/dial/explain?${q({ to: mobile(below(1e6)) })}`,
      ),
      p50Ms: 5,
    },
  ]
}

const ofLargeAgent = ({ calls, contacts, callbacks }: VolumeShape): RequestClass[] => {
  const agent = largeAgent
  const of = (name: string, p99Ms: number, path: RequestClass['path']) => ({
    name: `large agent: ${name}`,
    org: largeOrg,
    path,
    p99Ms,
  })
  const threads = `/v1/agents/${agent}/threads`
  return [
    of('sessions', 50, () => sessions({ agent })),
    of('sessions, deep', 50, ({ below }) => sessions({ agent, after: cursorOf(below(calls)) })),
    of('sessions of a rare channel', 50, () => sessions({ agent, channel: 'web' })),
    of('search of a middling word', 100, () => sessions({ agent, q: words.middling })),
    of('search of a rare word', 100, () => sessions({ agent, q: words.rare })),
    of('search of an absent word', 100, () => sessions({ agent, q: words.absent })),
    of('threads, page', 50, () => `${threads}?limit=50&turns=1`),
    of('one thread', 50, ({ below }) => `${threads}?${q({ contact: mobile(below(contacts)) })}`),
    of('drift', 100, () => `/v1/insights/drift?${q({ agent, before: 'v1', after: 'v2', team: 'true' })}`),
    of('callbacks', 50, () => `/v1/callbacks?${q({ agent })}`),
    of('callbacks, deep', 50, () => {
      const at = Date.now() / 1000 - callbacks * 5
      return `/v1/callbacks?${q({ agent, after: cursorOf(at, agent, 1) })}`
    }),
    of('own log', 50, ({ below }) => `/v1/agents/${agent}/events?${q({ after: below(callbacks) })}`),
  ]
}

/** Last, for they change what is there. */
const erasures = ({ contacts }: VolumeShape): RequestClass[] =>
  [smallOrg, largeOrg].map((org) => ({
    name: 'erasure of a contact',
    org,
    method: 'DELETE' as const,
    path: ({ below }) => `/v1/contacts/${encodeURIComponent(mobile(below(contacts)))}`,
    orStatus: 404, // drawn twice, or of another org
    p99Ms: 5000,
  }))
