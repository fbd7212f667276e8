import * as accounts from '../accounts.ts'
import * as apps from '../apps.ts'
import * as audit from '../audit.ts'
import * as browserCalls from '../browser-calls.ts'
import * as callFrames from '../call-frames.ts'
import * as callbacks from '../callbacks.ts'
import * as calls from '../calls.ts'
import * as carriers from '../carriers.ts'
import * as chat from '../chat.ts'
import * as consents from '../consents.ts'
import * as dialling from '../dialling.ts'
import * as discovery from '../discovery.ts'
import * as erasure from '../erasure.ts'
import * as evals from '../evals.ts'
import * as extensions from '../extensions.ts'
import * as identity from '../identity.ts'
import * as keys from '../keys.ts'
import * as log from '../log.ts'
import * as mail from '../mail.ts'
import * as mediaPlane from '../media-plane.ts'
import * as members from '../members.ts'
import * as messaging from '../messaging.ts'
import * as modelEndpoints from '../model-endpoints.ts'
import * as numbers from '../numbers.ts'
import * as orgs from '../orgs.ts'
import * as ownPhone from '../own-phone.ts'
import * as placing from '../placing.ts'
import * as providers from '../providers.ts'
import * as publishableKeys from '../publishable-keys.ts'
import * as rates from '../rates.ts'
import * as recordings from '../recordings.ts'
import * as retention from '../retention.ts'
import * as scopeSchemas from '../scope-schemas.ts'
import * as sessions from '../sessions.ts'
import * as settings from '../settings.ts'
import * as shapes from '../shapes.ts'
import * as signIn from '../sign-in.ts'
import * as signUp from '../sign-up.ts'
import * as speech from '../speech.ts'
import * as sso from '../sso.ts'
import * as supervising from '../supervising.ts'
import * as templates from '../templates.ts'
import * as threads from '../threads.ts'
import * as trunkTerms from '../trunk-terms.ts'
import * as trunkTests from '../trunk-tests.ts'
import * as vault from '../vault.ts'
import * as voiceServer from '../voice-server.ts'
import * as voices from '../voices.ts'
import * as webhooks from '../webhooks.ts'
import * as worker from '../worker.ts'
import { fingerprintOf, type JsonSchema } from './json-schema.ts'

const modules: readonly object[] = [
  accounts,
  apps,
  audit,
  browserCalls,
  callFrames,
  callbacks,
  calls,
  carriers,
  chat,
  consents,
  dialling,
  discovery,
  erasure,
  evals,
  extensions,
  identity,
  keys,
  log,
  mail,
  mediaPlane,
  members,
  messaging,
  modelEndpoints,
  numbers,
  orgs,
  ownPhone,
  placing,
  providers,
  publishableKeys,
  rates,
  recordings,
  retention,
  scopeSchemas,
  sessions,
  settings,
  shapes,
  signIn,
  signUp,
  speech,
  sso,
  supervising,
  templates,
  threads,
  trunkTerms,
  trunkTests,
  vault,
  voiceServer,
  voices,
  webhooks,
  worker,
]

/** What holds parameters, one by one, is named nowhere. */
const isOfParameters = (name: string) => /(?:Params|Asked|Headers)$/.test(name)

const isNameable = (value: unknown): value is JsonSchema =>
  typeof value === 'object' &&
  value !== null &&
  ('properties' in value || ('enum' in value && 'type' in value))

/** Every schema of the contract by the name of its export, which is its name in the API's description. */
export function declaredSchemas(): ReadonlyMap<string, JsonSchema> {
  const declared = new Map<string, JsonSchema>()
  for (const module of modules)
    for (const [name, value] of Object.entries(module)) {
      if (!isNameable(value) || isOfParameters(name)) continue
      const known = declared.get(name)
      if (known && fingerprintOf(known) !== fingerprintOf(value))
        throw new Error(`two schemas are called ${name}`)
      declared.set(name, value)
    }
  return declared
}
