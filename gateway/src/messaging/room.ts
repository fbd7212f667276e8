import type { AgentsRoom } from '../agents/room.ts'
import type { CallsRoom } from '../calls/room.ts'
import type { Ground } from '../database/room.ts'
import type { PeopleRoom } from '../people/room.ts'
import type { ProvidersRoom } from '../providers/room.ts'
import type { TelephonyRoom } from '../telephony/room.ts'
import { AccessTokens } from './access-tokens.ts'
import { Conversations } from './conversations/conversations.ts'
import { Putting } from './conversations/putting.ts'
import { WaitingMessages } from './conversations/waiting.ts'
import { Threads } from './desk/threads.ts'
import { Writing } from './desk/writing.ts'
import { PlatformApi } from './sending/platform-api.ts'
import { Sendings } from './sending/sendings.ts'
import { makeWebhook } from './webhook/room.ts'

export type MessagingRoom = ReturnType<typeof makeMessaging>

/** The messaging channel: what contacts write, the conversations that come of it, and the desk. */
export function makeMessaging(
  parts: Ground & PeopleRoom & ProvidersRoom & AgentsRoom & CallsRoom & TelephonyRoom,
) {
  const { settings, database, clock, runningGateways, carrierAccounts, numbers } = parts
  const accessTokens = new AccessTokens(carrierAccounts, settings.messaging.accessToken)
  const sendings = new Sendings({
    ...parts,
    gateways: runningGateways,
    api: new PlatformApi(settings.telephony.messagingApi, parts.publicAddresses),
    tokenOf: ({ org, phone_number_id }) => accessTokens.tokenFor(org, phone_number_id),
  })
  const putting = new Putting({
    ...parts,
    heads: parts.callHeads,
    calls: parts.writtenCalls,
    sendings,
    gateway: runningGateways.id,
  })
  const waitingMessages = new WaitingMessages({ ...parts, gateways: runningGateways, putting })
  const conversations = new Conversations({
    ...parts,
    putting,
    waiting: waitingMessages,
    sendings,
    reached: (number) => numbers.reached(number),
  })
  const threads = new Threads(database, clock)
  const threadWriting = new Writing(parts)
  const { messageClaims, webhook } = makeWebhook(parts, { accessTokens, receiver: conversations })

  return {
    accessTokens,
    sendings,
    waitingMessages,
    conversations,
    threads,
    threadWriting,
    messageClaims,
    webhook,
  }
}
