import assert from 'node:assert/strict'
import { header } from '../src/sip/message.ts'
import type { IncomingInvite, SipDialog, SipOptions } from '../src/sip/server.ts'
import { offerOf, openFence, type ServerUnderTest, SipPeer, startSip } from './sip-peer.ts'

export const ours = 'sip:+34911222333@127.0.0.1'

/** Servers and peers that are closed when a test is over. */
export class SipTest {
  readonly #servers: ServerUnderTest[] = []
  readonly #peers: SipPeer[] = []

  async server(
    options: Partial<SipOptions> = {},
    onInvite?: (invite: IncomingInvite) => void,
  ): Promise<ServerUnderTest> {
    const under = await startSip(options, onInvite)
    this.#servers.push(under)
    return under
  }

  async peer(server: { port: number }, address?: string): Promise<SipPeer> {
    const peer = await SipPeer.open(server, address)
    this.#peers.push(peer)
    return peer
  }

  /** A server that answers every call, and the calls it answered. */
  async answering(options: Partial<SipOptions> = {}) {
    const fences = [openFence]
    const calls: Promise<SipDialog>[] = []
    const under = await this.server({ fences: () => fences, ...options }, (invite) => {
      invite.ring()
      const accepted = invite.accept()
      accepted.catch(() => {}) // a test that ends leaves some unacknowledged
      calls.push(accepted)
    })
    return { ...under, calls }
  }

  /** A call in progress from a peer. */
  async standing(options: Partial<SipOptions> = {}, headers: Record<string, string> = {}) {
    const under = await this.answering({ timing: { t1Ms: 50 }, ...options })
    const peer = await this.peer(under.server)
    peer.request({ method: 'INVITE', to: ours, body: offerOf(4000), headers })
    const answer = await peer.status(200)
    const to = header(answer, 'to') ?? ''
    let number = 1
    /** Says something within the call. */
    const say = (method: string, body = '', more: Record<string, string> = {}, type?: string) => {
      if (method !== 'ACK') number++
      const cseq = { To: to, CSeq: `${number} ${method}` }
      peer.request({ method, to: ours, body, headers: { ...cseq, ...more }, ...(type && { type }) })
      return number
    }
    const answered = (cseq: number, fits: (status: number) => boolean = (status) => status >= 200) =>
      peer.find((message) => 'status' in message && message.cseq.number === cseq && fits(message.status))
    say('ACK')
    await peer.settle()
    const call = await under.calls[0]
    assert.ok(call)
    return { ...under, peer, call, say, answered, to }
  }

  async stop(): Promise<void> {
    const peers = this.#peers.splice(0)
    for (const peer of peers) peer.isObliging = true
    await Promise.all(this.#servers.splice(0).map(({ server }) => server.stop()))
    for (const peer of peers) peer.close()
  }
}
