import { BrowserCall } from './call.ts'
import { CallGateway } from './gateway.ts'
import { Microphone } from './microphone.ts'
import { openFromPage, type PageKey } from './page-key.ts'

interface WithToken {
  /** The `participant_token` of `POST /v1/tokens`, or how to get it: asked once the microphone is open. */
  token: string | (() => Promise<string>)
}

export type StartCall = (WithToken | PageKey) & {
  /** The gateway's address. */
  url: string
  /** The `deviceId` of a microphone; the browser's default without it. */
  microphone?: string
  /** Gives up while it connects. */
  signal?: AbortSignal
}

/** Asks for the microphone and connects; fails with a sentence for the person at the page. */
export async function startCall(options: StartCall): Promise<BrowserCall> {
  const { url, signal } = options
  const microphone = await Microphone.open(options.microphone)
  try {
    signal?.throwIfAborted()
    const gateway = new CallGateway(url, await tokenOf(options))
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

async function tokenOf(options: StartCall): Promise<string> {
  if ('key' in options) return (await openFromPage(options.url, options, 'voice')).token
  return typeof options.token === 'string' ? options.token : options.token()
}
