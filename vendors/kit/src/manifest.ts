import { Ajv, type ValidateFunction } from 'ajv'
import { Type, type Static } from 'typebox'
import { stages, type Stage } from '@switchroom/contract/speech'

const names = Type.Array(Type.String({ minLength: 1 }))

const VendorClass = Type.Object({
  takes: names,
  /** Under which keyword the class takes a knob; a knob without one it takes under no name. */
  knobs: Type.Record(Type.String(), Type.String()),
  streams: Type.Boolean(),
  realtime: Type.Optional(Type.Boolean()),
})
export type VendorClass = Static<typeof VendorClass>

const StageManifest = Type.Object({
  default: Type.String(),
  model: Type.String(),
  classes: Type.Record(Type.String(), VendorClass),
  by_model: Type.Optional(Type.Record(Type.String(), Type.String())),
  temperature: Type.Optional(Type.Tuple([Type.Number(), Type.Number()])),
  ends_turn: Type.Optional(Type.Boolean()),
  batch: Type.Optional(Type.Boolean()),
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
