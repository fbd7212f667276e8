import type { AgentsRoom } from '../agents/room.ts'
import type { CallsRoom } from '../calls/room.ts'
import type { Infrastructure } from '../database/room.ts'
import type { PeopleRoom } from '../people/room.ts'
import type { ProvidersRoom } from '../providers/room.ts'
import type { TelephonyRoom } from '../telephony/room.ts'
import { AccessTokens } from './platform/access-tokens.ts'
import { Conversations } from './conversations/conversations.ts'
import { ConversationCalls } from './conversations/conversation-calls.ts'
import { WaitingMessages } from './conversations/waiting-messages.ts'
import { CallBackfill } from '../calls/backfills/backfill.ts'
import { deriveTouches, Threads } from './threads/threads.ts'
import { MessageSender } from './threads/message-sender.ts'
import { CallOutlets } from './outlets/call-outlets.ts'
import { MessagingPlatform } from './platform/messaging-platform.ts'
import { Templates } from './templates/templates.ts'
import { ReadReceipts } from './platform/read-receipts.ts'
import { makeWebhook } from './webhook/room.ts'

export type MessagingRoom = ReturnType<typeof makeMessaging>

/** The messaging channel: what contacts write, the conversations it opens, and their threads. */
export function makeMessaging(
  parts: Infrastructure & PeopleRoom & ProvidersRoom & AgentsRoom & CallsRoom & TelephonyRoom,
) {
  const { settings, database, clock, runningGateways, carrierAccounts, numbers } = parts
  const accessTokens = new AccessTokens(carrierAccounts, settings.messaging.accessToken)
  const messagingPlatform = new MessagingPlatform(settings.telephony.messagingApi, parts.publicAddresses)
  const readReceipts = new ReadReceipts({ accessTokens, messagingPlatform, logger: parts.logger })
  const callOutlets = new CallOutlets({
    ...parts,
    gateways: runningGateways,
    messagingPlatform,
    readReceipts,
    tokenOf: ({ org, phone_number_id }) => accessTokens.tokenFor(org, phone_number_id),
  })
  const conversationCalls = new ConversationCalls({
    ...parts,
    records: parts.callRecords,
    calls: parts.writtenCalls,
    callOutlets,
    gateway: runningGateways.id,
  })
  const waitingMessages = new WaitingMessages({ ...parts, gateways: runningGateways, conversationCalls })
  const conversations = new Conversations({
    ...parts,
    conversationCalls,
    waitingMessages,
    callOutlets,
    reached: (number) => numbers.reached(number),
  })
  const threadBackfill = new CallBackfill(database, clock, 'threads', deriveTouches)
  const threads = new Threads(database, clock, readReceipts, () => threadBackfill.isDone())
  const messageSender = new MessageSender(parts)
  const templates = new Templates({ database, threads, conversationCalls, accessTokens, messagingPlatform })
  const { messageClaims, untranscribedMessages, webhook } = makeWebhook(parts, {
    accessTokens,
    messagingPlatform,
    receiver: conversations,
  })

  return {
    accessTokens,
    messagingPlatform,
    readReceipts,
    callOutlets,
    waitingMessages,
    conversations,
    threads,
    threadTasks: [threads.task, threadBackfill.task],
    messageSender,
    templates,
    messageClaims,
    untranscribedMessages,
    webhook,
  }
}
