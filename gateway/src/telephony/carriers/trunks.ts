import type { CarrierLogin } from '../../foundation/telephony-settings.ts'
import { friendlyName, type ApiCarrier, type CarrierTrunk } from './api-carrier.ts'

/** Where a carrier sends the calls of an environment. */
export const originationOf = (sipName: string) => `sip:${sipName}:5060;transport=udp`

export interface FoundTrunk {
  /** Undefined if there is none yet. */
  trunk: CarrierTrunk | undefined
  /** Whether it points here; one that was left half made does not yet. */
  points: boolean
}

/** The account's trunk that points at this name, whatever it is called, or the half-made one to complete. */
export async function findTrunk(
  carrier: ApiCarrier,
  login: CarrierLogin,
  sipName: string,
): Promise<FoundTrunk> {
  const wanted = originationOf(sipName).toLowerCase()
  const halfMade: CarrierTrunk[] = []
  for (const trunk of await carrier.trunks(login)) {
    const urls = await carrier.originationUrls(login, trunk.sid)
    if (urls.some((url) => url.enabled && url.sip_url.toLowerCase() === wanted))
      return { trunk, points: true }
    if (urls.length === 0 && trunk.friendly_name === nameOf(sipName)) halfMade.push(trunk)
  }
  return { trunk: halfMade[0], points: false }
}

/** Makes what is missing of what was found. */
export async function completeTrunk(
  carrier: ApiCarrier,
  login: CarrierLogin,
  sipName: string,
  found: FoundTrunk,
): Promise<CarrierTrunk> {
  if (found.trunk && found.points) return found.trunk
  const trunk = found.trunk ?? (await carrier.makeTrunk(login, nameOf(sipName)))
  await carrier.addOrigination(login, trunk.sid, originationOf(sipName))
  return trunk
}

const nameOf = (sipName: string) => friendlyName(`svc ${sipName}`)
