import type { AgentsRoom } from '../agents/room.ts'
import type { CallsRoom } from '../calls/room.ts'
import type { Infrastructure } from '../database/room.ts'
import type { PeopleRoom } from '../people/room.ts'
import type { ProvidersRoom } from '../providers/room.ts'
import type { TelephonyRoom } from '../telephony/room.ts'
import { AccessTokens } from './access-tokens.ts'
import { Conversations } from './conversations/conversations.ts'
import { ConversationCalls } from './conversations/conversation-calls.ts'
import { WaitingMessages } from './conversations/waiting.ts'
import { Threads } from './threads/threads.ts'
import { MessageSender } from './threads/message-sender.ts'
import { PlatformApi } from './sending/platform-api.ts'
import { Sendings } from './sending/sendings.ts'
import { makeWebhook } from './webhook/room.ts'

export type MessagingRoom = ReturnType<typeof makeMessaging>

/** The messaging channel: what contacts write, the conversations that come of it, and the desk. */
export function makeMessaging(
  parts: Infrastructure & PeopleRoom & ProvidersRoom & AgentsRoom & CallsRoom & TelephonyRoom,
) {
  const { settings, database, clock, runningGateways, carrierAccounts, numbers } = parts
  const accessTokens = new AccessTokens(carrierAccounts, settings.messaging.accessToken)
  const sendings = new Sendings({
    ...parts,
    gateways: runningGateways,
    api: new PlatformApi(settings.telephony.messagingApi, parts.publicAddresses),
    tokenOf: ({ org, phone_number_id }) => accessTokens.tokenFor(org, phone_number_id),
  })
  const conversationCalls = new ConversationCalls({
    ...parts,
    records: parts.callRecords,
    calls: parts.writtenCalls,
    sendings,
    gateway: runningGateways.id,
  })
  const waitingMessages = new WaitingMessages({ ...parts, gateways: runningGateways, conversationCalls })
  const conversations = new Conversations({
    ...parts,
    conversationCalls,
    waiting: waitingMessages,
    sendings,
    reached: (number) => numbers.reached(number),
  })
  const threads = new Threads(database, clock)
  const threadWriting = new MessageSender(parts)
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
