import type { SpeechClient } from '@switchroom/sdk/speech'
import { exitCodes } from './exit-codes.ts'
import { Failure, refused } from './failures.ts'
import type { Invocation } from './invocation.ts'

/** Where speech is asked for: SVC_VOICE_URL, else beside a gateway on this machine. */
export const voiceAddress = (invocation: Invocation): string =>
  invocation.option('voice-server') || invocation.environment['SVC_VOICE_URL'] || 'http://127.0.0.1:8081'

export async function speechClient(invocation: Invocation): Promise<SpeechClient> {
  const { key = '' } = await invocation.client()
  const { SpeechClient: Client } = await import('@switchroom/sdk/speech')
  return new Client({ url: voiceAddress(invocation), key })
}

/** What a voice server refuses, in the words and statuses of this program. */
export async function told<Answer>(work: Promise<Answer>): Promise<Answer> {
  const { SpeechError } = await import('@switchroom/sdk/speech-error')
  return work.catch((error: unknown) => {
    if (!(error instanceof SpeechError)) throw error
    throw error.status === 0
      ? new Failure(exitCodes.unreachable, error.message)
      : refused(error.status, error.message)
  })
}
