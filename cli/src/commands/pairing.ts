import type { LoginCode, PairedKey } from '@switchroom/contract/sign-in'
import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { exitCodes } from '../terminal/exit-codes.ts'
import { Failure } from '../terminal/failures.ts'
import type { GatewayClient } from '../gateway/gateway-client.ts'
import type { Output } from '../terminal/output.ts'
import { qrCode } from '../terminal/qr-code.ts'

const askEveryMs = 1_000
/** A little longer than a pairing word is valid: the gateway says when it expires, whatever the clock here says. */
const longestMs = 11 * 60_000

/** Waits until the pairing word is approved in a signed-in browser. */
export async function pairTerminal(
  gateway: GatewayClient,
  out: Output,
  { device, hasQr }: { device: string; hasQr: boolean },
): Promise<PairedKey> {
  const secret = randomBytes(32).toString('base64url') // the word is printed, so it must not be enough to collect the key
  const collect = createHash('sha256').update(secret).digest('hex')
  const { code } = await gateway.post<LoginCode>('/v1/login/pairings', { device, collect })
  const link = `${gateway.url}/cli?c=${code}`
  const { lines, width } = qrCode(link, out.isColoured)
  if (hasQr && out.notesWidth >= width) for (const line of lines) out.note(line)
  out.note(`Open this in a browser where you are signed in, and approve ${device}:\n\n  ${link}\n`)
  out.note('It works once, for ten minutes. Waiting…')
  const startedMs = performance.now()
  while (performance.now() - startedMs < longestMs) {
    const key = await collectKey(gateway, code, secret)
    if (key) return key
    await pause(askEveryMs)
  }
  throw notApproved()
}

/** Undefined until it is approved; a gateway that is away or busy for a moment is retried. */
async function collectKey(
  gateway: GatewayClient,
  code: string,
  secret: string,
): Promise<PairedKey | undefined> {
  try {
    const headers = { 'svc-pairing-secret': secret }
    const answer = await gateway.get<Partial<PairedKey>>(`/v1/login/pairings/${code}/key`, {}, headers)
    return answer.key === undefined ? undefined : (answer as PairedKey)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    if (error.status === 404) throw notApproved()
    if (error.status !== undefined && error.status < 500 && error.status !== 429) throw error
    return undefined
  }
}

const notApproved = () =>
  new Failure(exitCodes.refused, 'the request was not approved in time: run svc login again')
