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

/** The voice server's address; default: this machine, if the gateway names none. */
export async function voiceAddress(invocation: Invocation): Promise<string> {
  const { account, environment } = invocation
  const said = invocation.option('voice-server') || environment['SVC_VOICE_URL']
  return (
    said ||
    (await account
      .anonymous()
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

/** A refusal of the voice server as a failure of this program; a broken connection counts as unreachable. */
export async function told<Answer>(invocation: Invocation, work: Promise<Answer>): Promise<Answer> {
  const { SpeechError } = await import('@switchroom/sdk/speech-error')
  return work.catch(async (error: unknown) => {
    if (error instanceof Failure) throw error
    if (!(error instanceof SpeechError))
      throw unreachable('voice server', await voiceAddress(invocation), error)
    throw error.status === 0
      ? new Failure(exitCodes.unreachable, error.message, { code: error.code })
      : refused(error.status, error.message, error.code)
  })
}
