import { setTimeout as sleep } from 'node:timers/promises'
import { newCoding } from '@switchroom/media/rtp/coders'
import { header } from '@switchroom/media/sip/message'
import { RtpPhone } from '@switchroom/media/testing/rtp-phone'
import { offerOf, SipPeer } from '@switchroom/media/testing/sip-peer'

const loud = 500
const silence = new Int16Array(160)
const frameMs = 20
const soundWithinMs = 20_000

/** When what a caller notices happened, in milliseconds. */
export interface TimedCall {
  /** From the INVITE until it rings. */
  ringsMs: number
  /** From the INVITE until it is answered. */
  answeredMs: number
  /** From the answer until the first sound of the agent. */
  soundMs: number
  hangUp: () => Promise<void>
}

/** Calls an agent from a phone of this machine that does as little as a phone can, and hears its first sound. */
export async function timedCall(sipPort: number, agent: string, name: string): Promise<TimedCall> {
  const call = await placeCall(sipPort, agent, name)
  const { phone, begunMs, answeredMs } = call
  const talking = setInterval(() => phone.say(silence), frameMs)
  const heard = phone.until((packets) => isLoud(packets.at(-1)?.payload)).then(() => performance.now())
  const first = await Promise.race([heard, sleep(soundWithinMs, Infinity, { ref: false })])
  return {
    ringsMs: await call.ringsMs,
    answeredMs: answeredMs - begunMs,
    soundMs: first - answeredMs,
    async hangUp() {
      clearInterval(talking)
      await call.hangUp()
    },
  }
}

/** Until the call is answered and acknowledged; the phone says nothing yet. */
export async function placeCall(sipPort: number, agent: string, name: string) {
  const to = `sip:${agent}@127.0.0.1`
  const [peer, phone] = [await SipPeer.open({ port: sipPort }), await RtpPhone.ring()]
  peer.isObliging = true
  const begunMs = performance.now()
  const callId = { 'Call-ID': `${name}-${peer.port}` }
  peer.request({ method: 'INVITE', to, body: offerOf(phone.port), headers: callId })
  const ringsMs = peer.status(180).then(() => performance.now() - begunMs)
  const answer = await peer.status(200)
  const answeredMs = performance.now()
  const dialog = { ...callId, To: header(answer, 'to') ?? '' }
  phone.localPort = Number(/^m=audio (\d+)/m.exec(answer.body)?.[1])
  peer.request({ method: 'ACK', to, headers: dialog })
  return {
    phone,
    begunMs,
    ringsMs,
    answeredMs,
    async hangUp() {
      peer.request({ method: 'BYE', to, headers: { ...dialog, CSeq: '2 BYE' } })
      await peer.find((message) => 'status' in message && header(message, 'cseq') === '2 BYE')
      peer.close()
      phone.close()
    },
  }
}

const { decode } = newCoding('PCMU')

function isLoud(payload: Uint8Array | undefined): boolean {
  return payload !== undefined && (decode(payload)?.some((sample) => Math.abs(sample) > loud) ?? false)
}
