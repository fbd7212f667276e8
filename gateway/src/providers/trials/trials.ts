import { VendorFailure } from '@switchroom/kit/failures'
import type { InstalledVendor, StageChoice } from '@switchroom/kit/installed'
import type { RealtimeAsked } from '@switchroom/kit/vendor'
import { untilAborted } from '@switchroom/kit/until-aborted'
import type { Stage } from '@switchroom/contract/stages'
import { badGateway, badRequest } from '../../foundation/refusals.ts'

const sampleRate = 16_000
const halfASecondOfSilence = new Uint8Array(sampleRate)

/** A stage as a call would build it, and what a voice is to say. */
export interface Trial {
  stage: Stage
  vendor: InstalledVendor
  choice: StageChoice
  line: string
}

/** Tries a stage once before anything is kept: a line said, one word answered, half a second of silence heard. */
export async function tryStage(trial: Trial, timeoutMs: number): Promise<void> {
  const { stage, vendor, line } = trial
  const choice = { ...trial.choice, retries: 0 }
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    if (stage === 'tts') await firstOf((await vendor.voice(choice)).speak(line, signal), 'audio')
    else if (stage === 'llm' && vendor.isRealtime(choice)) await firstSound(vendor, choice, signal)
    else if (stage === 'llm')
      await firstOf((await vendor.model(choice)).think({ messages: [question] }, signal), 'text')
    else await hearSilence(vendor, choice, signal)
  } catch (error) {
    if (!(error instanceof VendorFailure)) throw error
    if (error.kind === 'refused') throw badRequest(`${vendor.name} refused: ${error.message}`)
    throw badGateway(`${vendor.name} did not answer: nothing was kept, try again`)
  }
}

const question = { role: 'user', text: 'Answer with one word.' } as const

/** Leaving the loop lets the vendor go: no more is paid for than was needed. */
async function firstOf(pieces: AsyncIterable<{ type: string }>, type: string): Promise<void> {
  for await (const piece of pieces) if (piece.type === type) return
  throw new VendorFailure('silent', 'it ended without a word')
}

/** A model that hears and speaks for itself says its word aloud. */
async function firstSound(vendor: InstalledVendor, choice: StageChoice, signal: AbortSignal) {
  async function* asked(): AsyncIterable<RealtimeAsked> {
    yield { type: 'reply', reply: 'trial', instructions: question.text, tools: [] }
    await untilAborted(new Promise<never>(() => {}), signal) // a caller that hangs up ends the conversation
  }
  const model = await vendor.realtime(choice)
  for await (const told of model.converse(asked(), signal)) {
    if (told.type === 'audio') return
    if (told.type === 'replied' && told.failure !== null) throw new VendorFailure('refused', told.failure)
    if (told.type === 'replied') break
  }
  throw new VendorFailure('silent', 'it ended without a word')
}

/** Ears that take only a whole utterance are tried by their first call. */
async function hearSilence(vendor: InstalledVendor, choice: StageChoice, signal: AbortSignal) {
  const transcriber = await vendor.transcriber(choice)
  if (transcriber.listen) await Array.fromAsync(transcriber.listen(silence(), sampleRate, signal))
}

async function* silence() {
  yield halfASecondOfSilence
}
