import { Ajv, type ValidateFunction } from 'ajv'
import { Type, type Static } from 'typebox'
import { stages, type Stage } from '@switchroom/contract/stages'

const names = Type.Array(Type.String({ minLength: 1 }))

const VendorClass = Type.Object({
  takes: names,
  /** Under which keyword the class takes a knob; a knob without one it takes under no name. */
  knobs: Type.Record(Type.String(), Type.String()),
  streams: Type.Boolean(),
  realtime: Type.Optional(Type.Boolean()),
  /** In hertz: of the live audio that a transcriber takes, or of the sound that a voice gives. Default: any. */
  sample_rates: Type.Optional(Type.Array(Type.Integer({ minimum: 8_000 }), { minItems: 1 })),
})
export type VendorClass = Static<typeof VendorClass>

const StageManifest = Type.Object({
  default: Type.String(),
  model: Type.String(),
  classes: Type.Record(Type.String(), VendorClass),
  by_model: Type.Optional(Type.Record(Type.String(), Type.String())),
  /** When the vendor switches a model off, by the model's whole name. */
  retires: Type.Optional(Type.Record(Type.String(), Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$' }))),
  /**
   * The languages it understands or speaks, as primary tags with a space between, by the start of a model's
   * name; a model without an entry takes any.
   */
  languages: Type.Optional(Type.Record(Type.String(), Type.String())),
  /** Of voices that speak one language: the part of a name, between hyphens, that is its primary tag. */
  voice_language: Type.Optional(
    Type.Object({
      part: Type.Unsafe<'first' | 'last'>({ type: 'string', enum: ['first', 'last'] }),
      /** Words in the names of voices that speak several. */
      unless: Type.Optional(names),
    }),
  ),
  temperature: Type.Optional(Type.Tuple([Type.Number(), Type.Number()])),
  ends_turn: Type.Optional(Type.Boolean()),
  batch: Type.Optional(Type.Boolean()),
  /** Models that hear a recording of any language as English. */
  translates: Type.Optional(names),
  diarize: Type.Optional(Type.Object({ batch: Type.Boolean(), live: Type.Boolean() })),
  formats: Type.Optional(names),
  auto: Type.Optional(Type.Record(Type.String(), Type.String())),
  lists_voices: Type.Optional(Type.Boolean()),
})
export type StageManifest = Static<typeof StageManifest>

/** The field `svcVendor` of a vendor's package.json. */
export const Manifest = Type.Object({
  name: Type.String({ pattern: '^[a-z0-9][a-z0-9_-]{0,31}$' }),
  does: Type.Unsafe<Stage[]>({ type: 'array', items: { type: 'string', enum: [...stages] } }),
  credentials: Type.Object({
    fields: names,
    /** The field that `{key}` fills; a vendor without one runs without a key. */
    key: Type.Optional(Type.String()),
    /** The required fields. Default: only the key's. */
    needs: Type.Optional(names),
  }),
  stages: Type.Object({
    llm: Type.Optional(StageManifest),
    stt: Type.Optional(StageManifest),
    tts: Type.Optional(StageManifest),
  }),
})
export type Manifest = Static<typeof Manifest>

let isManifest: ValidateFunction<Manifest> | undefined

/** Throws a sentence that says what is wrong with it. */
export function readManifest(declared: unknown): Manifest {
  isManifest ??= new Ajv({ strict: false }).compile<Manifest>(Manifest)
  if (!isManifest(declared)) {
    const first = isManifest.errors?.[0]
    throw new Error(`svcVendor${first?.instancePath ?? ''} ${first?.message ?? 'has no known form'}`)
  }
  for (const stage of declared.does)
    if (!declared.stages[stage]) throw new Error(`svcVendor/stages lacks ${stage}`)
  for (const stage of stages) refuseUnknownNames(stage, declared.stages[stage])
  const { fields, key, needs = [] } = declared.credentials
  for (const named of key === undefined ? needs : [key, ...needs])
    if (!fields.includes(named)) throw new Error(`svcVendor/credentials names no field ${named}`)
  return declared
}

function refuseUnknownNames(stage: Stage, manifest: StageManifest | undefined) {
  if (!manifest) return
  for (const named of [manifest.default, ...Object.values(manifest.by_model ?? {})])
    if (!classNamed(manifest, named)) throw new Error(`svcVendor/stages/${stage} names no class ${named}`)
  for (const [name, { takes, knobs }] of Object.entries(manifest.classes))
    for (const keyword of Object.values(knobs))
      if (!takes.includes(keyword))
        throw new Error(`svcVendor/stages/${stage}/classes/${name} takes no ${keyword}`)
}

/** People name classes: what every object has is none. */
export function classNamed(manifest: StageManifest, name: string): VendorClass | undefined {
  return Object.hasOwn(manifest.classes, name) ? manifest.classes[name] : undefined
}

/** A person's `*_builds`, else what the longest matching model prefix says, else the default. */
export function classFor(manifest: StageManifest, model: string, builds?: string): string {
  if (builds !== undefined) return builds
  const prefixes = Object.keys(manifest.by_model ?? {}).filter((prefix) => model.startsWith(prefix))
  const longest = prefixes.toSorted((a, b) => b.length - a.length)[0]
  return (longest !== undefined && manifest.by_model?.[longest]) || manifest.default
}

/** The languages of a model, as primary tags; undefined if the manifest does not limit them. */
export function languagesOf({ languages = {} }: StageManifest, model: string): readonly string[] | undefined {
  const longest = Object.keys(languages)
    .filter((prefix) => model.startsWith(prefix))
    .toSorted((a, b) => b.length - a.length)[0]
  return longest === undefined ? undefined : languages[longest]?.split(' ')
}

/** `en` of `aura-2-thalia-en`; undefined if the voice speaks several, or its name does not say. */
export function languageOfVoice({ voice_language: named }: StageManifest, voice: string): string | undefined {
  const parts = voice.split('-')
  if (!named || parts.length === 1 || named.unless?.some((word) => voice.includes(word))) return undefined
  const said = parts.at(named.part === 'first' ? 0 : -1) ?? ''
  return /^[a-z]{2,3}$/.test(said) ? said : undefined
}

/** Knobs under the class's own keywords, over its options; knobs it has no keyword for stay out. */
export function keywordsFor(
  vendorClass: VendorClass,
  options: Readonly<Record<string, unknown>>,
  knobs: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const named = Object.entries(knobs).flatMap(([knob, value]) => {
    const keyword = Object.hasOwn(vendorClass.knobs, knob) ? vendorClass.knobs[knob] : undefined
    return keyword === undefined || value === undefined ? [] : [[keyword, value] as const]
  })
  return { ...options, ...Object.fromEntries(named) }
}
