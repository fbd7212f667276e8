import assert from 'node:assert/strict'
import { afterwards, type Lasting } from '@switchroom/launcher/testing/folders'
import { RtpLeg } from '@switchroom/media/rtp/rtp-leg'
import { header, type SipRequest } from '@switchroom/media/sip/message'
import { offerOf, SipPeer } from '@switchroom/media/testing/sip-peer'
import { phonePorts } from './spoken-phone.ts'

/** A phone that takes a cold transfer, and does as the test says when it is. */
export class SentOnPhone {
  readonly leg: RtpLeg
  readonly #peer: SipPeer
  readonly #to: string
  readonly #called: string
  #sequence = 1

  private constructor(leg: RtpLeg, peer: SipPeer, called: string, to: string) {
    this.leg = leg
    this.#peer = peer
    this.#called = called
    this.#to = to
  }

  static async call(t: Lasting, agent: string, sipPort: number): Promise<SentOnPhone> {
    const peer = await SipPeer.open({ port: sipPort })
    afterwards(t, () => peer.close())
    peer.isObliging = true
    const called = `sip:${agent}@127.0.0.1`
    const localPort = phonePorts.allocate()
    peer.request({ method: 'INVITE', to: called, body: offerOf(localPort) })
    const answer = await peer.status(200)
    const remotePort = Number(/^m=audio (\d+)/m.exec(answer.body)?.[1])
    const to = header(answer, 'to') ?? ''
    peer.request({ method: 'ACK', to: called, headers: { To: to } })
    const terms = {
      localPort,
      localAddress: '127.0.0.1',
      remoteAddress: '127.0.0.1',
      signalledFrom: '127.0.0.1',
      remotePort,
      codec: 'PCMU',
      payloadType: 0,
      tonePayloadType: 101,
      ptimeMs: 20,
    } as const
    const leg = await RtpLeg.open(terms, {
      hangUp: async () => {},
      transfer: async () => {},
      ended: peer.asked('BYE').then(() => 'hangup'),
    })
    afterwards(t, () => leg.hangUp())
    return new SentOnPhone(leg, peer, called, to)
  }

  /** The target of its transfer, once it is transferred. */
  async referred(): Promise<{ to: string; refer: SipRequest }> {
    const refer = await this.#peer.asked('REFER')
    return { to: header(refer, 'refer-to') ?? '', refer }
  }

  get wasReferred(): boolean {
    return this.#peer.heard.includes('REFER')
  }

  /** Says that it goes there. */
  accept(refer: SipRequest): void {
    this.#peer.answer(refer, '202 Accepted')
  }

  /** Goes there, and reports the outcome. */
  go(refer: SipRequest, outcome: string): void {
    this.accept(refer)
    this.#notify('SIP/2.0 100 Trying', 'active;expires=60')
    this.#notify(`SIP/2.0 ${outcome}`, 'terminated;reason=noresource')
  }

  async untilLetGo(): Promise<void> {
    assert.equal(await this.leg.ended, 'hangup')
  }

  hangUp(): void {
    this.#say('BYE')
  }

  #notify(body: string, state: string): void {
    this.#say('NOTIFY', body, { Event: 'refer', 'Subscription-State': state }, 'message/sipfrag')
  }

  #say(method: string, body = '', more: Record<string, string> = {}, type?: string): void {
    this.#sequence += 1
    const headers = { To: this.#to, CSeq: `${this.#sequence} ${method}`, ...more }
    this.#peer.request({ method, to: this.#called, body, headers, ...(type !== undefined && { type }) })
  }
}
