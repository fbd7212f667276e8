import { afterwards, type Lasting } from '@switchroom/launcher/testing/folders'
import { until } from '@switchroom/launcher/testing/waiting'
import { RtpLeg } from '@switchroom/media/rtp/rtp-leg'
import { SipServer, type SipDialog } from '@switchroom/media/sip/server'
import { MediaPorts } from '@switchroom/media/rtp/media-ports'
import { joined } from './spoken-fixture.ts'

const phoneRate = 8_000
/** Louder than this counts as speech. */
const loud = 500

export const phonePorts = new MediaPorts({ first: 40_000, last: 59_999 })

export interface PhoneOptions {
  from?: string
  /** Where it calls from: any of 127.0.0.0/8. */
  host?: string
  /** What it proves itself with. */
  pair?: { username: string; password: string }
  /** When it gives up. */
  signal?: AbortSignal
}

/** A SIP phone on this machine, which sends a steady stream of sound and keeps what it hears. */
export class Phone {
  readonly leg: RtpLeg
  readonly dialog: SipDialog
  readonly #frames: Int16Array[] = []

  private constructor(leg: RtpLeg, dialog: SipDialog) {
    this.leg = leg
    this.dialog = dialog
    void this.#listen()
  }

  /** Rejects with `SipRefused` if the call is not answered. */
  static async call(
    t: Lasting,
    to: string,
    sipPort: number,
    {
      from = '+15550100100',
      host = '127.0.0.1',
      pair,
      signal = AbortSignal.timeout(60_000),
    }: PhoneOptions = {},
  ): Promise<Phone> {
    const sip = await SipServer.start({
      host,
      port: 0,
      publicAddress: host,
      fences: () => [],
      isLocalAllowed: false,
      allocatePort: phonePorts.allocate,
      releasePort: phonePorts.release,
      onInvite: (invite) => invite.reject(480),
    })
    afterwards(t, () => sip.stop())
    const trunk = {
      hostname: `127.0.0.1:${sipPort}`,
      transport: 'udp',
      auth_username: pair?.username ?? '',
      auth_password: pair?.password ?? '',
    } as const
    const dialog = await sip.invite(to, trunk, from, signal)
    const leg = await RtpLeg.open(dialog.terms, {
      hangUp: () => dialog.bye(),
      transfer: (target) => dialog.refer(target),
      ended: dialog.ended,
    })
    return new Phone(leg, dialog)
  }

  /** Everything since the call was answered. */
  get heard(): Int16Array {
    return joined(...this.#frames)
  }

  /** Says it, and resolves once it was sent. */
  async say(samples: Int16Array): Promise<void> {
    await this.leg.play(samples)
    await this.leg.drained()
  }

  get secondsHeard(): number {
    return this.#frames.reduce((length, frame) => length + frame.length, 0) / phoneRate
  }

  /** Whether speech was heard after this many seconds of the call. */
  wasSpokenTo(afterSeconds = 0): boolean {
    const from = Math.round((afterSeconds * phoneRate) / 160)
    return this.#frames.slice(from).some((frame) => frame.some((sample) => Math.abs(sample) > loud))
  }

  async untilSpokenTo(afterSeconds = 0): Promise<void> {
    await until('the phone hears speech', () => this.wasSpokenTo(afterSeconds), 60_000)
  }

  async hangUp(): Promise<void> {
    await this.dialog.bye()
  }

  async #listen() {
    for await (const frame of this.leg.heard()) this.#frames.push(frame)
  }
}
