import { isEmergency, sipExtensionForm } from '@switchroom/contract/extensions'
import { sipAddressForm } from '@switchroom/contract/placing'
import { readCalled, type CalledNumber } from './called-number.ts'

/** The SIP account of the org that a call is held over. */
export interface OwnPeer {
  /** Where the platform dials it, as `host` or `host:port`; null if it is not dialled. */
  dials_at: string | null
}

/**
 * Where a caller is to be sent on. A number is read as every dial's; extensions and SIP addresses are those of the
 * org's own SIP account that the call is held over, for no other dials them on the org's behalf.
 */
export async function readTransferTarget(to: string, peer: OwnPeer | undefined): Promise<CalledNumber> {
  if (sipExtensionForm.test(to)) return ofPeer(to, peer ? emergencyFault(to) : noPeer('an extension'))
  const [, user = '', host = ''] = sipAddressForm.exec(to) ?? []
  if (host === '') return readCalled(to)
  if (!peer) return ofPeer(to, noPeer('a SIP address'))
  if (host.toLowerCase() !== hostIn(peer.dials_at))
    return ofPeer(
      to,
      `a caller is sent on to addresses at the outbound_host of the SIP account alone, which is ${peer.dials_at ?? 'not set'}`,
    )
  if (user.startsWith('+')) return { ...(await readCalled(user)), number: to }
  if (/^\d+$/.test(user) && !sipExtensionForm.test(user))
    return ofPeer(to, 'a number in a SIP address is + and its digits, calling code first')
  return ofPeer(to, emergencyFault(user))
}

const hostIn = (dialsAt: string | null) => dialsAt?.replace(/:\d+$/, '').toLowerCase()

const noPeer = (what: string) =>
  `${what} is dialled by a SIP account of the org alone, and this call is held over none`

const emergencyFault = (extension: string) => (isEmergency(extension) ? 'it is an emergency number' : null)

const ofPeer = (number: string, fault: string | null): CalledNumber => ({
  number,
  callingCode: null,
  nationalDigits: 0,
  zones: [],
  fault,
})
