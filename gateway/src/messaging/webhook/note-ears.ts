import { DecodingFailure } from '@switchroom/kit/decoding/decoding-failure'
import { silent } from '@switchroom/kit/failures'
import type { InstalledVendors } from '@switchroom/kit/installed'
import type { Recording, Transcript } from '@switchroom/kit/vendor'
import type { SettingsScope } from '../../agents/scope.ts'
import { StageReading, type RunStage } from '../../agents/stages/stages.ts'
import type { CallRecords } from '../../calls/records/records.ts'
import { layersOf } from '../../calls/written/call-models.ts'
import { minuteMs } from '../../foundation/clock.ts'
import type { Orgs } from '../../people/orgs/orgs.ts'
import type { Accounts } from '../../providers/accounts/accounts.ts'
import type { StageKeys } from '../../providers/lent-keys/stage-keys.ts'
import { NoteForms } from './note-formats.ts'

const patienceMs = minuteMs
const secondsInMinute = 60

export interface NoteEarsParts {
  vendors: InstalledVendors
  records: CallRecords
  orgs: Orgs
  stageKeys: StageKeys
  accounts: Accounts
}

export interface Heard {
  text: string
  /** What it costs the org: nothing on its own key. */
  credits: number
}

type Ears = Pick<RunStage, 'vendor' | 'model' | 'builds' | 'options'>

/** Hears recordings with the ears that an agent's calls run on. */
export class NoteEars {
  readonly #parts: NoteEarsParts

  constructor(parts: NoteEarsParts) {
    this.#parts = parts
  }

  /** By the first of them that takes the recording and answers. */
  async hear(scope: SettingsScope, recording: Recording): Promise<Heard> {
    const { records, vendors } = this.#parts
    const resolution = await records.resolve(scope, null, 'chat')
    const layers = layersOf(resolution)
    const named = new StageReading(vendors, resolution.row).stage('stt', layers)
    const rest = named.fallbacks.map((fallback) => ({ ...fallback, builds: null, options: {} }))
    const language = layers.get('language')
    const forms = new NoteForms(recording)
    let failure: unknown = silent(`no ears of ${scope.agent} take ${recording.mediaType}`)
    for (const ears of [named, ...rest])
      try {
        const heard = await this.#heardBy(ears, scope, resolution.row, forms, language)
        if (heard) return heard
      } catch (error) {
        failure = error
      }
    if (failure instanceof DecodingFailure && failure.isOfFile) return { text: '', credits: 0 } // and never will be heard
    throw failure
  }

  /** Undefined where these ears take no form that it can be given in, or no key runs them. */
  async #heardBy(
    { vendor, model, builds, options }: Ears,
    scope: SettingsScope,
    row: Awaited<ReturnType<CallRecords['resolve']>>['row'],
    forms: NoteForms,
    language: string | undefined,
  ): Promise<Heard | undefined> {
    const installed = this.#parts.vendors.doing('stt', vendor)
    const taken = installed?.manifest?.stages.stt?.formats ?? []
    if (!installed || !forms.canBe(taken)) return undefined
    const key = await this.#keyFor(scope, { vendor, model }, row)
    if (!key) return undefined
    const isOwn = key.from === 'own'
    const built = await installed.ears({
      model,
      builds: (isOwn && builds) || undefined,
      knobs: { language },
      options: { ...row.options[`stt/${vendor}`], ...(isOwn && options) },
      credentials: key.credentials,
    })
    const deadline = AbortSignal.timeout(patienceMs)
    const transcript = await built.transcribe?.(await forms.as(taken, deadline), deadline)
    return (
      transcript && {
        text: transcript.text.trim(),
        credits: (key.creditsPerUnit * secondsOf(transcript)) / secondsInMinute,
      }
    )
  }

  /** A lent one only for an org that can pay. */
  async #keyFor(
    { org, env }: SettingsScope,
    run: { vendor: string; model: string },
    row: Parameters<StageKeys['find']>[3] & {},
  ) {
    const { orgs, stageKeys, accounts } = this.#parts
    const { slug } = await orgs.find(org)
    const key = await stageKeys.find({ org, slug, env }, 'stt', run, row)
    const isPaid = key?.from === 'lent' && key.creditsPerUnit > 0
    return isPaid && (await accounts.read(org)).credits <= 0 ? undefined : key
  }
}

/** As the vendor says, else until the last that was heard. */
const secondsOf = ({ duration, words, segments }: Transcript) =>
  duration ?? Math.max(0, ...[...words, ...segments].map(({ end }) => end))
