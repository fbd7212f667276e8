import { randomBytes } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { isIPv4 } from 'node:net'
import type { AskedNetworks } from '@switchroom/contract/carriers'
import { withoutAccount } from '@switchroom/contract/extensions'
import { MediaPorts } from '@switchroom/media/rtp/media-ports'
import { SipServer, type IncomingInvite } from '@switchroom/media/sip/server'
import { path } from '../../gateway/gateway-client.ts'
import type { LoadOrg } from '../deployment/load-org.ts'
import { wrongUsage } from '../../terminal/failures.ts'
import { LoadRefused } from '../load-refused.ts'

/** The carrier account of a run: as a PBX with extensions, so that no number of the world is dialled or taken. */
export const trunkAccount = 'svcload'
/** Phones of the generator that are dialled, and those that call. */
export const mostPhones = 1_000
export const dialledExtension = (at: number): string => String(7_000 + at)
export const callingExtension = (at: number): string => String(8_000 + at)
const dialledExtensions = `7000-${dialledExtension(mostPhones - 1)}`

const ports = new MediaPorts({ first: 40_000, last: 59_998 })

/** The generator's own PBX beside the deployment: one for all profiles of a run. */
export class LoadTrunk {
  readonly sip: SipServer
  readonly pair: { username: string; password: string }
  readonly #onRing: Map<string, (invite: IncomingInvite) => void>

  private constructor(sip: SipServer, pair: LoadTrunk['pair'], onRing: LoadTrunk['rings']) {
    this.sip = sip
    this.pair = pair
    this.#onRing = onRing
  }

  /** By the extension that rings; a phone that nobody waits for is busy. */
  get rings(): Map<string, (invite: IncomingInvite) => void> {
    return this.#onRing
  }

  static async open(org: LoadOrg, ownAddress: string): Promise<LoadTrunk> {
    const { client, leftovers } = org
    const pair = { username: trunkAccount, password: randomBytes(16).toString('base64url') }
    const rings: LoadTrunk['rings'] = new Map()
    const numbers = Array.from({ length: mostPhones }, (_, at) => `${dialledExtension(at)}@${trunkAccount}`)
    const sip = await SipServer.start({
      host: ownAddress,
      port: 0,
      publicAddress: ownAddress,
      // The deployment's workers may come from anywhere: the password is the proof.
      fences: fixed([
        { name: 'svc-load/sandbox/deployment', networks: ['0.0.0.0/0'], numbers, pair, fleet: '' },
      ]),
      isLocalAllowed: false,
      allocatePort: ports.allocate,
      releasePort: ports.release,
      onInvite: (invite) => {
        const onRing = rings.get(withoutAccount(invite.number ?? ''))
        if (onRing) onRing(invite)
        else invite.reject(486)
      },
    })
    leftovers.add("the generator's SIP port", () => sip.stop())
    leftovers.add('the carrier account of the run', () =>
      client.delete('/v1/carrier', { account: trunkAccount }),
    )
    await client.put('/v1/carrier', {
      kind: 'sip',
      ...pair,
      label: 'svc load',
      addresses: [ownAddress],
      outbound_host: `${ownAddress}:${sip.port}`,
      dial_extensions: [dialledExtensions],
    })
    await approve(org, ownAddress)
    return new LoadTrunk(sip, pair, rings)
  }

  /** An extension of the PBX at which the agent answers and from which it dials. */
  async route({ client, leftovers }: LoadOrg, extension: string, agent: string): Promise<void> {
    leftovers.add(`the extension ${extension}`, () =>
      client.delete(path`/v1/numbers/${`${extension}@${trunkAccount}`}`),
    )
    await client.post('/v1/numbers', { extension, agent, account: trunkAccount })
  }
}

const fixed =
  <Fences>(fences: Fences) =>
  () =>
    fences

/** Approved for the run, and refused again afterwards, also if a run that was killed had approved it. */
async function approve({ operator, id, leftovers }: LoadOrg, ownAddress: string): Promise<void> {
  for (const state of ['waiting', 'refused', 'approved'] as const) {
    const { networks } = await operator.get<AskedNetworks>('/v1/ops/networks', { state })
    for (const { id: network, org, network: address } of networks)
      if (org === id && [ownAddress, `${ownAddress}/32`].includes(address)) {
        leftovers.add(`the approval of ${address}`, () =>
          operator.post(path`/v1/ops/networks/${network}/refuse`),
        )
        await operator.post(path`/v1/ops/networks/${network}/approve`)
      }
  }
}

/** The address of this machine on the way to the host. */
export async function ownAddressTowards(host: string): Promise<string> {
  const socket = createSocket('udp4')
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject)
      socket.connect(5060, host, resolve)
    })
    return socket.address().address
  } catch {
    throw new LoadRefused(
      `no IPv4 address of this machine leads to ${host}: say with --own-address where the deployment reaches this machine`,
    )
  } finally {
    socket.close()
  }
}

export function refuseOddAddress(address: string): void {
  if (!isIPv4(address)) throw wrongUsage(`--own-address ${address} is not an IPv4 address`)
}
