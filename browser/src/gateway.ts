import type { AnsweredSound, PageCall } from '@switchroom/contract/browser-calls'

/** The gateway waits ten seconds for a worker. */
const longestAnswerMs = 12_000

/** A refused request: the gateway's own sentence, or 0 and a sentence of ours if it cannot be reached. */
export class Refused extends Error {
  readonly status: number

  constructor(status: number, sentence: string) {
    super(sentence)
    this.status = status
  }
}

/** The JSON of an answer of the gateway. */
export async function ask<Answer>(address: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(address, { signal: AbortSignal.timeout(longestAnswerMs), ...init }).catch(
    () => {
      throw new Refused(0, 'The gateway cannot be reached. Check your connection, then try again.')
    },
  )
  const body = (await response.json().catch(() => ({}))) as Answer & { detail?: string }
  if (!response.ok)
    throw new Refused(response.status, body.detail ?? `the gateway answered ${response.status}`)
  return body
}

/** The gateway as one call's page sees it, with the participant token. */
export class CallGateway {
  readonly url: string
  readonly token: string

  constructor(url: string, token: string) {
    this.url = gatewayUrl(url)
    this.token = token
  }

  about(): Promise<PageCall> {
    return ask(this.#rtc, { headers: this.headers })
  }

  offer(sdp: string | undefined): Promise<AnsweredSound> {
    const headers = { ...this.headers, 'content-type': 'application/json' }
    return ask(this.#rtc, { method: 'POST', headers, body: JSON.stringify({ sdp }) })
  }

  events(lastEventId: string | undefined, signal: AbortSignal): Promise<Response> {
    const resuming: Record<string, string> = lastEventId === undefined ? {} : { 'last-event-id': lastEventId }
    return fetch(`${this.#rtc}/events`, {
      headers: { ...this.headers, accept: 'text/event-stream', ...resuming },
      signal,
    })
  }

  /** A beacon reaches the gateway although the page is being closed. */
  hangUp(): void {
    navigator.sendBeacon(`${this.#rtc}/hangup`, this.token)
  }

  get headers(): Record<string, string> {
    return { authorization: `Bearer ${this.token}` }
  }

  get #rtc(): string {
    return `${this.url}/v1/rtc`
  }
}

/** Also takes the `server_url` of the embedded media plane, which is a path of the gateway. */
export function gatewayUrl(url: string): string {
  const { origin, pathname } = new URL(url, location.href)
  return origin + pathname.replace(/\/(?:v1\/rtc)?\/?$/, '')
}
