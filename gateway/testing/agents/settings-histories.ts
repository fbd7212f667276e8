import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import type { Config, Lexicon } from '@switchroom/contract/settings'

/** What was set in one scope, oldest first, and its current canary. */
export interface ScopeHistory {
  versions: Config[]
  lexicons: Lexicon[]
  canary: { version: number; share: number } | null
}

/** An agent as it was set everywhere, the class that holds it, and the caller who asks for which call. */
export interface SettingsCase {
  scopes: { own: ScopeHistory; team: ScopeHistory; production: ScopeHistory }
  declared: Config
  hears: string[] | null
  asker: 'person' | 'token' | 'production'
  call: string | null
}

const anyConfig: fc.Arbitrary<Config> = fc.record(
  {
    llm: fc.constantFrom('alpha', 'beta', 'beta/beta-large', 'spare'),
    language: fc.constantFrom('en', 'es', 'pt-BR'),
    record: fc.boolean(),
    max_duration_s: fc.constantFrom(0, 60),
    llm_timeout_s: fc.constantFrom(1, 30),
    turn: fc.constantFrom({}, { endpointing_ms: 0 }, { endpointing_ms: 500, min_interruption_words: 2 }),
    greeting: fc.constantFrom({ say: 'Hello' }, { reply: '', allow_interruptions: true }),
    bases: fc.constantFrom([], [{ base: 'faq' }], [{ base: 'faq', mode: 'tool' as const, k: 1 }]),
  },
  { requiredKeys: [] },
)

const anyLexicon: fc.Arbitrary<Lexicon> = fc.record({
  said: fc.constantFrom([], [{ word: 'SQL', spoken: 'sequel' }]),
  heard: fc.constantFrom([], ['Switchroom'], ['Ximena', 'Wout']),
})

const scopeHistory: fc.Arbitrary<ScopeHistory> = fc
  .record({
    versions: fc.array(anyConfig, { maxLength: 4 }),
    lexicons: fc.array(anyLexicon, { maxLength: 2 }),
    canaryOn: fc.option(fc.nat(3)),
    share: fc.constantFrom(0, 30, 50, 70, 100),
  })
  .map(({ versions, lexicons, canaryOn, share }) => ({
    versions,
    lexicons,
    canary: canaryOn !== null && canaryOn < versions.length ? { version: canaryOn + 1, share } : null,
  }))

export const settingsCase: fc.Arbitrary<SettingsCase> = fc.record({
  scopes: fc.record({ own: scopeHistory, team: scopeHistory, production: scopeHistory }),
  declared: fc.record(
    {
      llm: fc.constantFrom('beta/beta-model', 'alpha'),
      language: fc.constant('de'),
      record: fc.boolean(),
      turn: fc.constant({ endpointing_ms: 7 }),
    },
    { requiredKeys: [] },
  ),
  hears: fc.option(fc.constantFrom([], ['Class'])),
  asker: fc.constantFrom('person', 'token', 'production'),
  call: fc.option(fc.stringMatching(/^[A-Za-z0-9_-]{1,20}$/)),
})

/** The scopes a call of this asker reads, nearest first. */
export const chainOfCase = ({ asker, scopes }: SettingsCase): ScopeHistory[] =>
  asker === 'production'
    ? [scopes.production]
    : asker === 'person'
      ? [scopes.own, scopes.team]
      : [scopes.team]

/** What the documents say such a call runs: knob by knob from the bottom up, and so unlike the program. */
export function expectedOf(asked: SettingsCase) {
  const isHeld = asked.asker !== 'production' // the class is an app's of the sandbox
  const merged: Record<string, unknown> = { llm_timeout_s: 12 }
  let version: number | null = null
  let lexiconVersion: number | null = null
  let lexicon: Lexicon = { said: [], heard: [] }
  let canary = false
  let llm = 'alpha/alpha-model' // the platform's default
  for (const scope of chainOfCase(asked).toReversed()) {
    const ran = versionOf(scope, asked.call)
    canary ||= ran.picked
    const row = scope.versions[ran.version - 1] ?? {}
    if (Object.keys(row).length > 0) version = ran.version
    Object.assign(merged, row)
    llm = modelOf(row.llm, llm)
    if (scope.lexicons.length > 0) {
      lexiconVersion = scope.lexicons.length
      lexicon = scope.lexicons.at(-1) ?? lexicon
    }
  }
  if (isHeld) Object.assign(merged, asked.declared)
  if (isHeld) llm = modelOf(asked.declared.llm, llm)
  if (merged['greeting']) merged['greeting'] = { allow_interruptions: false, ...merged['greeting'] }
  if (merged['bases'])
    merged['bases'] = (merged['bases'] as object[]).map((base) => ({
      mode: 'auto',
      k: 5,
      min_score: 0,
      ...base,
    }))
  return {
    config: merged,
    config_version: version,
    lexicon: { ...lexicon, ...(isHeld && asked.hears && { heard: asked.hears }) },
    lexicon_version: lexiconVersion,
    canary,
    llm,
  }
}

/** Of the two made-up vendors' words; a model alone stays on the vendor below. */
function modelOf(word: string | undefined, below: string): string {
  if (word === undefined || word.includes('/')) return word ?? below
  return word === 'alpha' || word === 'beta' ? `${word}/${word}-model` : `${below.split('/')[0]}/${word}`
}

/** 0 for a scope that supplies nothing. */
function versionOf({ versions, canary }: ScopeHistory, call: string | null) {
  const newest = versions.length
  if (!canary) return { version: newest, picked: false }
  const digest = createHash('sha256')
    .update(call ?? '')
    .digest('hex')
  const place = Number(BigInt(`0x${digest.slice(0, 16)}`) % 100n)
  if (call !== null && place < canary.share) return { version: canary.version, picked: true }
  return { version: canary.version === newest ? newest - 1 : newest, picked: false }
}
