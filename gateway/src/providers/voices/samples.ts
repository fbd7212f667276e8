import type { SampleVoice } from '@switchroom/contract/voices'
import { silent } from '@switchroom/kit/failures'
import type { InstalledVendors } from '@switchroom/kit/installed'
import type { Voice } from '@switchroom/kit/vendor'
import { wavOf } from '@switchroom/audio/wav'
import type { Caller } from '../../foundation/caller.ts'
import { minuteMs } from '../../foundation/clock.ts'
import { paymentRequired } from '../../foundation/refusals.ts'
import { codePoints } from '../../foundation/text.ts'
import type { RateCounts } from '../../http/rate-counts.ts'
import type { Accounts } from '../accounts/accounts.ts'
import type { StageKeys } from '../lent-keys/stage-keys.ts'
import { readVoice } from '../parsing/voice-parsing.ts'
import type { ProvidersRow } from '../row/row.ts'
import { readLine } from './sample-lines.ts'
import { unansweredBy } from './vendor-answers.ts'

const samplesAMinute = { name: 'voice sample', tries: 30, windowMs: minuteMs }
/** No voice speaks more slowly than this. */
const secondsPerCharacter = 1
const secondsOfSilence = 10

export interface Sample {
  wav: Buffer
  firstAudioMs: number
  totalMs: number
}

export interface SampleParts {
  vendors: InstalledVendors
  providersRow: ProvidersRow
  stageKeys: StageKeys
  accounts: Accounts
  rateCounts: RateCounts
  sampleTimeoutMs: number
}

/** Samples of voices: one line, on the key that a call would use. */
export class Samples {
  readonly #parts: SampleParts

  constructor(parts: SampleParts) {
    this.#parts = parts
  }

  async make(
    caller: Caller,
    { text: typed, model, ...named }: SampleVoice,
    gone: AbortSignal,
  ): Promise<Sample> {
    const { vendors, providersRow, stageKeys, rateCounts, sampleTimeoutMs } = this.#parts
    const row = await providersRow.read()
    const wanted = readVoice(vendors, row, { ...named, ...(model !== undefined && { tts_model: model }) })
    const { vendor, voice: id, language } = wanted
    const key = await stageKeys.keyFor(caller, 'tts', { vendor: vendor.name, model: wanted.model })
    const text = readLine(typed, language, row.lines)
    await rateCounts.admit(
      samplesAMinute,
      [caller.key_id],
      'this key made thirty samples in a minute: wait a little before the next',
    )
    return this.#paid(caller.org, codePoints(text).length * key.creditsPerUnit, async () => {
      try {
        const voice = await vendor.voice({
          model: wanted.model,
          knobs: { voice: id, language },
          options: row.options[`tts/${vendor.name}`] ?? {},
          credentials: key.credentials,
        })
        return await said(voice, text, AbortSignal.any([gone, AbortSignal.timeout(sampleTimeoutMs)]))
      } catch (error) {
        throw unansweredBy(vendor.name, error)
      }
    })
  }

  /** Reserved before the vendor is asked, so that two samples cannot both spend it; returned on a failure. */
  async #paid(org: string, cost: number, say: () => Promise<Sample>): Promise<Sample> {
    if (cost === 0) return say()
    const { accounts } = this.#parts
    if (!(await accounts.hold(org, cost)))
      throw paymentRequired(
        `this sample costs ${cost} credits, which the org does not have: ask the operator for more`,
      )
    try {
      return await say()
    } catch (error) {
      await accounts.giveBack(org, cost)
      throw error
    }
  }
}

async function said(voice: Voice, text: string, signal: AbortSignal): Promise<Sample> {
  const longestSeconds = secondsOfSilence + secondsPerCharacter * codePoints(text).length
  const mostBytes = longestSeconds * voice.sampleRate * 2
  const begun = performance.now()
  const pieces: Uint8Array[] = []
  let bytes = 0
  let firstAudioMs: number | undefined
  for await (const spoken of voice.speak(text, signal)) {
    if (spoken.type !== 'audio') continue
    firstAudioMs ??= performance.now() - begun
    bytes += spoken.pcm.length
    if (bytes > mostBytes) throw silent('it did not stop talking')
    pieces.push(spoken.pcm)
  }
  if (firstAudioMs === undefined) throw silent('it said nothing')
  return {
    wav: wavOf(Buffer.concat(pieces), voice.sampleRate),
    firstAudioMs,
    totalMs: performance.now() - begun,
  }
}
