import { BlockList, isIPv4 } from 'node:net'
import { isEmergency, sipExtensionForm, sipNameForm } from '@switchroom/contract/extensions'
import type { Environment } from '@switchroom/contract/scopes'
import type { Queryable } from '../../database/database.ts'
import { conflict, listed } from '../../foundation/refusals.ts'
import { cutToLine } from '../../foundation/text.ts'
import { isInRanges } from '../carriers/dial-extensions.ts'
import type { CalledNumber } from './called-number.ts'
import * as store from './dialled-extension.store.ts'

export interface ExtensionAsked {
  org: string
  env: Environment
  extension: string
  /** Without it, the account that `from` lives in, else the only SIP account. */
  account: string | undefined
  from: string | undefined
}

/** An extension that is to be dialled: at a SIP account of the org, which says which ones, and nowhere else. */
export async function readDialledExtension(
  database: Queryable,
  asked: ExtensionAsked,
): Promise<CalledNumber> {
  const [peer, ...others] = await store.listPeers(database, asked)
  if (others.length > 0)
    throw conflict(
      `this org has several SIP accounts: name in account whose extension it is, of ${listed([peer, ...others].map((one) => one?.account ?? ''))}`,
    )
  const { extension } = asked
  const account = peer?.account ?? asked.account ?? ''
  return {
    number: `${cutToLine(extension, 'an empty extension')}@${cutToLine(account, 'no account')}`,
    callingCode: null,
    nationalDigits: 0,
    zones: [],
    fault: faultOf(extension, peer),
    peer: { account, isApproved: peer !== undefined && isApproved(peer), dials_at: peer?.dials_at ?? null },
  }
}

function faultOf(extension: string, peer: store.PeerRow | undefined): string | null {
  if (!peer) return 'this org has no such SIP account'
  if (!sipExtensionForm.test(extension) && !sipNameForm.test(extension))
    return 'an extension is 2 to 6 digits without a leading 0, or a name'
  if (isEmergency(extension)) return 'it is an emergency number'
  if (isInRanges(peer.dial_extensions, extension)) return null
  const may = listed(peer.dial_extensions) || 'no extension'
  return `agents dial ${may} there: add it to dial_extensions of the account`
}

/** Whether the peer is dialled at an address that the operator approved for it; of a name nothing is known. */
function isApproved({ dials_at, approved }: store.PeerRow): boolean {
  const host = dials_at?.replace(/:\d+$/, '') ?? ''
  if (!isIPv4(host)) return false
  const networks = new BlockList()
  for (const network of approved) {
    const [address = '', bits = '32'] = network.split('/')
    networks.addSubnet(address, Number(bits))
  }
  return networks.check(host)
}
