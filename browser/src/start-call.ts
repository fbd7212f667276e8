import { BrowserCall } from './call.ts'
import { CallGateway } from './gateway.ts'
import { Microphone } from './microphone.ts'

export interface StartCall {
  /** The gateway's address. */
  url: string
  /** The `participant_token` of `POST /v1/tokens`, or how to get it: asked once the microphone is open. */
  token: string | (() => Promise<string>)
  /** The `deviceId` of a microphone; the browser's default without it. */
  microphone?: string
  /** Gives up while it connects. */
  signal?: AbortSignal
}

/** Asks for the microphone and connects; fails with a sentence for the person at the page. */
export async function startCall({
  url,
  token,
  microphone: deviceId,
  signal,
}: StartCall): Promise<BrowserCall> {
  const microphone = await Microphone.open(deviceId)
  try {
    signal?.throwIfAborted()
    const gateway = new CallGateway(url, typeof token === 'string' ? token : await token())
    const about = await gateway.about()
    const call = new BrowserCall(gateway, about, microphone)
    const giveUp = () => call.hangUp()
    if (signal?.aborted) giveUp()
    signal?.throwIfAborted()
    signal?.addEventListener('abort', giveUp)
    await call.connect().finally(() => signal?.removeEventListener('abort', giveUp))
    signal?.throwIfAborted()
    return call
  } catch (error) {
    microphone.close()
    throw error
  }
}
