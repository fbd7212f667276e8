import type { Access } from './access.ts'

type Security = readonly Record<string, readonly string[]>[]

/** The kinds of keys, as the API's description names them. */
export const securitySchemes = {
  key: { type: 'http', scheme: 'bearer', description: "a person's key or a server token" },
  operatorKey: {
    type: 'http',
    scheme: 'bearer',
    description: "the operator's key, or the key of a person made operator",
  },
  fleetKey: {
    type: 'http',
    scheme: 'bearer',
    description: "the key of the platform's own workers, for the org that `svc-org` or a known call names",
  },
  signUpKey: { type: 'http', scheme: 'bearer', description: 'the sign-up key, if the operator set one' },
}

const keyed: Security = [{ key: [] }]

const keyedOrFleet: Security = [{ key: [] }, { fleetKey: [] }]

const securityOfKind: Partial<Record<Access['kind'], Security>> = {
  open: [],
  operator: [{ operatorKey: [] }],
  scopeOrWorker: keyedOrFleet,
  appOrFleet: keyedOrFleet,
  worker: keyedOrFleet,
  fleet: [{ fleetKey: [] }],
  signUp: [{}, { signUpKey: [] }],
}

export const securityOf = ({ kind }: Access): Security => securityOfKind[kind] ?? keyed

const words: Record<Access['kind'], (access: Access) => string> = {
  open: () => 'Takes no key.',
  key: () => 'Takes any key.',
  person: () => "Takes a person's key.",
  scope: (access) => `Takes a key that opens ${scopesOf(access)}.`,
  personScope: (access) => `Takes a person's key that opens ${scopesOf(access)}.`,
  settingsScope: (access) =>
    `Takes a key that opens ${scopesOf(access)}, or a server token that opens \`app\`.`,
  scopeOrWorker: (access) =>
    `Takes a key that opens ${scopesOf(access)}, a server token that opens \`app\`, the fleet's key, or the call's log token.`,
  appOrFleet: () => "Takes a key that opens `app`, or the fleet's.",
  worker: () => "Takes a server token that opens `app`, or the fleet's key.",
  fleet: () => "Takes the fleet's key.",
  operator: () => "Takes the operator's key.",
  signUp: () => 'Takes no key, or the sign-up key if the operator set one.',
}

export const accessInWords = (access: Access) => words[access.kind](access)

const scopesOf = (access: Access) =>
  'anyOf' in access ? access.anyOf.map((scope) => `\`${scope}\``).join(' or ') : ''
