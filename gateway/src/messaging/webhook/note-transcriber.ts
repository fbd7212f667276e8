import { DecodingFailure } from '@switchroom/kit/decoding/decoding-failure'
import { silent } from '@switchroom/kit/failures'
import type { InstalledVendors } from '@switchroom/kit/installed'
import type { Recording, Transcript } from '@switchroom/kit/vendor'
import type { SettingsScope } from '../../agents/scope.ts'
import { StageReading, type RunStage } from '../../agents/stages/stages.ts'
import type { CallRecords } from '../../calls/records/records.ts'
import { layersOf } from '../../calls/resolution/resolved-config.ts'
import { minuteMs } from '../../foundation/clock.ts'
import type { Orgs } from '../../people/orgs/orgs.ts'
import type { Accounts } from '../../providers/accounts/accounts.ts'
import type { StageKeys } from '../../providers/lent-keys/stage-keys.ts'
import { NoteFormats } from './note-formats.ts'

const patienceMs = minuteMs
const secondsInMinute = 60

export interface NoteTranscriberParts {
  vendors: InstalledVendors
  records: CallRecords
  orgs: Orgs
  stageKeys: StageKeys
  accounts: Accounts
}

export interface Transcribed {
  text: string
  /** What it costs the org: nothing on its own key. */
  credits: number
}

type SpeechToText = Pick<RunStage, 'vendor' | 'model' | 'builds' | 'options'>

/** Transcribes recordings with the speech-to-text that an agent's calls run on. */
export class NoteTranscriber {
  readonly #parts: NoteTranscriberParts

  constructor(parts: NoteTranscriberParts) {
    this.#parts = parts
  }

  /** By the first of them that takes the recording and answers. */
  async transcribe(scope: SettingsScope, recording: Recording): Promise<Transcribed> {
    const { records, vendors } = this.#parts
    const resolution = await records.resolve(scope, null, 'chat')
    const layers = layersOf(resolution)
    const named = new StageReading(vendors, resolution.row).stage('stt', layers)
    const rest = named.fallbacks.map((fallback) => ({ ...fallback, builds: null, options: {} }))
    const language = layers.get('language')
    const formats = new NoteFormats(recording)
    let failure: unknown = silent(`no speech-to-text of ${scope.agent} takes ${recording.mediaType}`)
    for (const speechToText of [named, ...rest])
      try {
        const transcribed = await this.#transcribeWith(speechToText, scope, resolution.row, formats, language)
        if (transcribed) return transcribed
      } catch (error) {
        failure = error
      }
    if (failure instanceof DecodingFailure && failure.isOfFile) return { text: '', credits: 0 } // and never can be transcribed
    throw failure
  }

  /** Undefined if this speech-to-text takes no format that it can be given in, or if no key runs it. */
  async #transcribeWith(
    { vendor, model, builds, options }: SpeechToText,
    scope: SettingsScope,
    row: Awaited<ReturnType<CallRecords['resolve']>>['row'],
    formats: NoteFormats,
    language: string | undefined,
  ): Promise<Transcribed | undefined> {
    const installed = this.#parts.vendors.doing('stt', vendor)
    const taken = installed?.manifest?.stages.stt?.formats ?? []
    if (!installed || !formats.canBe(taken)) return undefined
    const key = await this.#keyFor(scope, { vendor, model }, row)
    if (!key) return undefined
    const isOwn = key.from === 'own'
    const built = await installed.transcriber({
      model,
      builds: (isOwn && builds) || undefined,
      knobs: { language },
      options: { ...row.options[`stt/${vendor}`], ...(isOwn && options) },
      credentials: key.credentials,
    })
    const deadline = AbortSignal.timeout(patienceMs)
    const transcript = await built.transcribe?.(await formats.as(taken, deadline), deadline)
    return (
      transcript && {
        text: transcript.text.trim(),
        credits: (key.creditsPerUnit * secondsOf(transcript)) / secondsInMinute,
      }
    )
  }

  /** A lent key only for an org that can pay. */
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

/** As the vendor says, else until the last word. */
const secondsOf = ({ duration, words, segments }: Transcript) =>
  duration ?? Math.max(0, ...[...words, ...segments].map(({ end }) => end))
