import type { LegEnd } from '../src/leg.ts'
import { RtpLeg } from '../src/rtp/rtp-leg.ts'
import type { IncomingInvite, SipStats } from '../src/sip/server.ts'
import { freeUdpPort } from './free-udp-port.ts'
import { openFence, startSip } from './sip-peer.ts'

/** What a server in a process of its own says of itself. */
export interface Flooded extends SipStats {
  port: number
  /** The most memory it ever had, in megabytes. */
  peakMb: number
  /** How its calls ended. */
  ends: LegEnd[]
  sentences: string[]
}

export const answered = '+34911222555'
/** Rings and is not answered. */
export const unanswered = '+34911222333'

const ends: LegEnd[] = []

/** Every caller hears an echo. */
async function echo(invite: IncomingInvite): Promise<void> {
  const dialog = await invite.accept()
  const leg = await RtpLeg.open(dialog.terms, {
    hangUp: () => dialog.bye(),
    transfer: (to) => dialog.refer(to),
    ended: dialog.ended,
  })
  void leg.ended.then((how) => ends.push(how))
  for await (const frame of leg.heard()) await leg.play(frame)
}

async function serve(): Promise<void> {
  const fences = [{ ...openFence, networks: ['127.0.0.1', '127.1.0.0/16'], numbers: [answered, unanswered] }]
  const ports = await Promise.all(Array.from({ length: 20 }, freeUdpPort))
  const { server, sentences } = await startSip(
    {
      fences: () => fences,
      allocatePort: () => ports.pop() ?? 0,
      releasePort: (port) => ports.push(port),
      timing: { pingEveryMs: 200 },
    },
    (invite) => {
      if (invite.number === answered) void echo(invite).catch((error) => sentences.push(String(error)))
    },
  )
  process.on('message', () => {
    const peakMb = process.resourceUsage().maxRSS / 1024
    process.send?.({ ...server.stats, port: server.port, peakMb, ends, sentences })
  })
  process.once('disconnect', () => process.exit())
}

if (process.send && import.meta.main) await serve()
