import type { CarrierLogin } from '../../foundation/telephony-settings.ts'
import { conflict, listed } from '../../foundation/refusals.ts'
import type { ApiCarrier, CarrierNumber } from '../carriers/api-carrier.ts'
import { completeTrunk, findTrunk, originationOf } from '../carriers/trunks.ts'
import type { PlannedStep } from './steps.ts'

/** A number in an account at the carrier, and the SIP name that its calls are sent to. */
export interface Hook {
  login: CarrierLogin
  number: CarrierNumber
  sipName: string
  /** Whether it may be taken off another trunk that points at these. */
  mayLeave: (origins: readonly string[]) => boolean
}

/** What has to be written at the carrier; refuses a number that belongs to another trunk. */
export async function carrierSteps(carrier: ApiCarrier, hook: Hook): Promise<PlannedStep[]> {
  const { login, number, sipName } = hook
  const found = await findTrunk(carrier, login, sipName)
  let trunk = found.trunk
  const isOn = trunk !== undefined && number.trunk_sid === trunk.sid
  return [
    {
      thing: `carrier trunk ${originationOf(sipName)}`,
      isThere: found.points,
      write: async () => (trunk = await completeTrunk(carrier, login, sipName, found)),
    },
    ...(isOn || number.trunk_sid === null ? [] : [await offTrunk(carrier, hook, number.trunk_sid)]),
    {
      thing: `carrier number ${number.phone_number}`,
      isThere: isOn,
      // The step before this one has made it, or it was found.
      write: () => carrier.attach(login, trunk!.sid, number.sid),
    },
  ]
}

async function offTrunk(carrier: ApiCarrier, hook: Hook, sid: string): Promise<PlannedStep> {
  const { login, number } = hook
  const [trunks, urls] = await Promise.all([carrier.trunks(login), carrier.originationUrls(login, sid)])
  const name = trunks.find((trunk) => trunk.sid === sid)?.friendly_name || sid
  const origins = urls.map(({ sip_url }) => sip_url)
  if (!hook.mayLeave(origins))
    throw conflict(
      `${number.phone_number} is on the trunk ${name} of the same account, which points at ${listed(origins) || 'nothing'}: send move to take it off there first`,
    )
  return {
    thing: `off trunk ${name}`,
    isThere: false,
    write: () => carrier.detach(login, sid, number.sid),
  }
}
