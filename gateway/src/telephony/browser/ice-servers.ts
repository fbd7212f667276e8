import { createHmac } from 'node:crypto'
import type { IceServer } from '@switchroom/contract/browser-calls'
import { dayMs, later } from '../../foundation/clock.ts'
import type { IceSettings, TurnLogin } from '../../foundation/ice-settings.ts'

/** The servers that a page gives to its `RTCPeerConnection`, with credentials for one call. */
export function iceServersFor({ stunUrls, turn }: IceSettings, call: string, now: Date): IceServer[] {
  return [
    ...(stunUrls.length > 0 ? [{ urls: stunUrls }] : []),
    ...(turn ? [{ urls: turn.urls, ...credentials(turn.login, call, now) }] : []),
  ]
}

/** TURN's REST API: the server knows the secret too, and takes what it signed until the time in the name. */
function credentials(login: TurnLogin, call: string, now: Date) {
  if ('username' in login) return { username: login.username, credential: login.password }
  const username = `${Math.floor(later(now, dayMs).getTime() / 1_000)}:${call}`
  return { username, credential: createHmac('sha1', login.secret).update(username).digest('base64') }
}
