import type { SpeechClient } from '@switchroom/sdk/speech'
import { exitCodes } from '../terminal/exit-codes.ts'
import { Failure, refused, unreachable } from '../terminal/failures.ts'
import type { Option } from '../invocation/command.ts'
import type { Invocation } from '../invocation/invocation.ts'

const usual = 'http://127.0.0.1:8081'

export const voiceServerOption: Option = {
  name: 'voice-server',
  value: 'url',
  summary: "the voice server (default: SVC_VOICE_URL, else the gateway's)",
}

/** Where speech is asked for; a gateway that tells nothing is taken for one on this machine. */
export async function voiceAddress(invocation: Invocation): Promise<string> {
  const { account, environment } = invocation
  const said = invocation.option('voice-server') || environment['SVC_VOICE_URL']
  return (
    said ||
    (await account
      .nobody()
      .linked('voice-server')
      .catch(() => undefined)) ||
    usual
  )
}

export async function speechClient(invocation: Invocation): Promise<SpeechClient> {
  const { key = '' } = await invocation.client()
  const { SpeechClient: Client } = await import('@switchroom/sdk/speech')
  return new Client({ url: await voiceAddress(invocation), key })
}

/** What a voice server refuses, in the words and statuses of this program; one that breaks off is not there. */
export async function told<Answer>(invocation: Invocation, work: Promise<Answer>): Promise<Answer> {
  const { SpeechError } = await import('@switchroom/sdk/speech-error')
  return work.catch(async (error: unknown) => {
    if (error instanceof Failure) throw error
    if (!(error instanceof SpeechError))
      throw unreachable('voice server', await voiceAddress(invocation), error)
    throw error.status === 0
      ? new Failure(exitCodes.unreachable, error.message)
      : refused(error.status, error.message)
  })
}
