import type { Route } from '../../src/http/routes.ts'

export type Credential =
  | 'nobody'
  | 'invented key'
  | 'admin'
  | 'developer'
  | 'narrowed developer'
  | 'manager'
  | 'qa'
  | 'supervisor'
  | 'admin of another org'
  | "developer's token"
  | "admin's token"
  | "admin's token without app"
  | 'fleet'
  | 'operator key'

/** What was decided about a route whose shapes name a secret. */
export interface Decision {
  /** The credentials it opens to; another org's admin opens it for their own org alone. */
  opens?: Credential[]
  /** It asks for no key: the secret that the request itself has to carry. */
  proof?: string
  /** What it answers that looks like a secret and is none, or is the asker's own. */
  harmless?: string
  /** Which stored secrets it answers, and to which credentials. */
  reveals?: Partial<Record<string, Credential[]>>
  /** A body that reaches the rule behind the access. */
  body?: () => unknown
}

const team: Credential[] = ['admin', 'manager', 'admin of another org']
const admins: Credential[] = ['admin', 'admin of another org']
const builders: Credential[] = ['admin', 'developer', 'narrowed developer', 'admin of another org']
const talkers: Credential[] = ['admin', 'developer', 'manager', 'supervisor', 'admin of another org']
const persons: Credential[] = [...builders, 'manager', 'qa', 'supervisor']
const tokens: Credential[] = ["developer's token", "admin's token", "admin's token without app"]
const integrators: Credential[] = [
  'admin',
  'developer',
  'narrowed developer',
  'manager',
  'admin of another org',
]
const operators: Credential[] = ['operator key']
const fleet: Credential[] = ['fleet']

let invited = 0
const somebody = () => ({ email: `new-${(invited += 1)}@example.com`, name: 'New', role: 'qa' })
const credentials = { email: 'nobody@example.com', password: 'invented' }
const mailbox = { host: 'm.example.com', port: 587, security: 'starttls', from: 'a@example.com' }

/** Every route that answers or changes a secret. Adding one without deciding here fails its test. */
export const secretRoutes: Record<string, Decision> = {
  // Ways in: the request carries its own secret.
  'POST /v1/login': { proof: 'the password, or a login code', body: () => credentials },
  'POST /v1/login/orgs': { proof: 'the password', body: () => credentials },
  'POST /v1/signup': { harmless: 'when the mailed code expires' },
  'POST /v1/signup/verify': {
    proof: 'the mailed code',
    body: () => ({ email: 'nobody@example.com', code: '000000' }),
  },
  'POST /v1/invitations/:token': {
    proof: 'the one-use link',
    body: () => ({ password: 'long enough to pass', device: 'x' }),
  },
  'POST /v1/login/pairings': { harmless: 'a new pairing, which opens nothing until a person approves it' },
  'GET /v1/login/pairings/:code': { proof: 'the word of the pairing' },
  'GET /v1/login/pairings/:code/key': { proof: "the terminal's secret" },

  'GET /.well-known/svc': { harmless: 'how long a password has to be' },

  // A person's own keys.
  'POST /v1/login/codes': { opens: [...persons, ...tokens] },
  'POST /v1/login/org': { opens: persons, body: () => ({ org: 'nobody' }) },
  'POST /v1/login/pairings/:code': { opens: persons, body: () => ({ device: 'x' }) },
  'POST /v1/keys': { opens: builders, body: () => ({ label: 'ci', env: 'sandbox' }) },
  'POST /v1/keys/:fingerprint/revoke': { opens: [...persons, ...tokens] },
  'GET /v1/keys': { harmless: 'fingerprints' },

  // Links that sign in as a person.
  'POST /v1/members': { opens: team, body: somebody },
  'POST /v1/members/:id/reset': { opens: team },
  'POST /v1/ops/orgs/:org/members': { opens: operators, body: somebody },
  'POST /v1/ops/orgs/:org/keys': { opens: operators, body: () => ({ label: 'ci', env: 'sandbox' }) },

  // The servers that an org's people sign in at and its letters go through.
  'PUT /v1/org/mail': { opens: admins, body: () => mailbox },
  'PUT /v1/org/sso': {
    opens: admins,
    body: () => ({
      issuer: 'https://idp.invalid',
      client_id: 'c',
      client_secret: 's',
      domains: ['victim.example'],
      required: false,
    }),
  },
  'GET /v1/ops/vault': { harmless: 'the id of the vault key' },
  'POST /v1/ops/vault/rotate': { opens: operators },
  'PUT /v1/ops/mail': { opens: operators, body: () => mailbox },

  // Vendors.
  'PUT /v1/provider-keys/:vendor': { opens: team, body: () => ({ key: 'sk-planted-vendor-secret' }) },
  'PUT /api/credentials': {
    opens: [...team, "admin's token"],
    body: () => ({ provider: 'openai', apiKey: 'sk-planted-vendor-secret' }),
  },
  'POST /v1/model-endpoints': {
    opens: team,
    body: () => ({
      name: 'mine',
      base_url: 'https://llm.invalid',
      model: 'm',
      key: 'sk-planted-vendor-secret',
    }),
  },
  'PATCH /v1/model-endpoints/:name': { opens: team, body: () => ({ key: 'sk-planted-vendor-secret' }) },
  'GET /v1/agents/:agent/provider-keys': {
    opens: ['fleet', "admin's token"],
    reveals: { vendor: ['fleet', "admin's token"] },
  },
  'GET /v1/agents/:agent/config': { harmless: 'whose key a stage runs on, never the key' },
  'POST /v1/voice/entries': { opens: fleet, body: () => ({ key: 'nobody' }) },
  'POST /v1/voice/grants': { opens: fleet, body: () => ({}) },

  // Carriers.
  'PUT /v1/carrier': {
    opens: team,
    body: () => ({ kind: 'nothing' }),
  },
  'GET /v1/worker/fences': { opens: fleet },
  'POST /v1/worker/registrations': { opens: fleet, body: () => ({}) },
  'POST /v1/worker/placements': { opens: ['fleet', "developer's token", "admin's token"], body: () => ({}) },
  'GET /v1/agents/:agent/outbound-trunk': {
    opens: ['fleet', "developer's token", "admin's token", 'admin', 'developer', 'admin of another org'],
  },

  // Webhooks: a new secret is answered once.
  'POST /v1/webhooks': { opens: integrators, body: () => ({ url: 'https://hooks.invalid' }) },
  'POST /v1/webhooks/:id/rotate': { opens: integrators, body: () => ({}) },

  // Calls.
  'POST /v1/tokens': { opens: [...talkers, ...tokens], body: () => ({ agent: 'nobody' }) },
  'POST /v1/page/tokens': { proof: 'a publishable key, from a page of its origins', body: () => ({}) },
  'GET /v1/publishable-keys': { harmless: 'keys that stand in web pages' },
  'POST /v1/publishable-keys': { harmless: 'a key that stands in web pages' },
  'POST /v1/publishable-keys/:id/revoke': { harmless: 'a key that stood in web pages' },
  'GET /v1/rtc': { proof: 'the participant token of the call' },
  'POST /v1/agents/:agent/dial': { opens: [...talkers, ...tokens], body: () => ({ to: '+1' }) },
  'PUT /v1/line/from': { opens: persons, body: () => ({ number: '+1' }) },
  'GET /v1/apps': { harmless: 'the fingerprint of the key that connected' },
  'GET /v1/calls/:call/state': { harmless: 'codes of errors and names of usage' },
  'POST /v1/voice/streams': { opens: fleet, body: () => ({}) },
}

export const decisionOf = (name: string): Decision | undefined => secretRoutes[name]

const secretName =
  /^(?:key|token|password|secret|code|link|credentials?|login|trunk|auth_.*|.*_(?:secret|password|token|key))$/i
const apiKey = /^apiKey$/

interface Shape {
  properties?: Record<string, Shape>
  patternProperties?: Record<string, Shape>
  additionalProperties?: Shape | boolean
  items?: Shape
  anyOf?: Shape[]
  allOf?: Shape[]
}

/** The fields of a route's body and of its answers that are named as secrets are. */
export function secretFieldsOf({ schema }: Route): string[] {
  const answers = Object.entries((schema.response ?? {}) as Record<string, Shape>)
    .filter(([status]) => status.startsWith('2'))
    .map(([, shape]) => shape)
  const shapes = [schema.body as Shape | undefined, ...answers]
  return [...new Set(shapes.flatMap((shape) => (shape ? secretsIn(shape) : [])))]
}

function secretsIn(shape: Shape): string[] {
  const named = Object.entries(shape.properties ?? {}).flatMap(([name, inner]) => [
    ...(secretName.test(name) || apiKey.test(name) ? [name] : []),
    ...secretsIn(inner),
  ])
  const { additionalProperties: rest } = shape
  const parts = [
    ...(shape.anyOf ?? []),
    ...(shape.allOf ?? []),
    ...(shape.items ? [shape.items] : []),
    ...Object.values(shape.patternProperties ?? {}),
    ...(typeof rest === 'object' ? [rest] : []),
  ]
  return [...named, ...parts.flatMap(secretsIn)]
}
