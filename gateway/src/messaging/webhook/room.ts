import type { AgentsRoom } from '../../agents/room.ts'
import type { CallsRoom } from '../../calls/room.ts'
import type { Infrastructure } from '../../database/room.ts'
import type { PeopleRoom } from '../../people/room.ts'
import type { ProvidersRoom } from '../../providers/room.ts'
import type { AccessTokens } from '../platform/access-tokens.ts'
import type { MessagingPlatform } from '../platform/messaging-platform.ts'
import type { Receiver } from '../platform/received.ts'
import { Claims } from './claims.ts'
import { NoteTranscriber } from './note-transcriber.ts'
import { MessageReceiver } from './message-receiver.ts'
import { UntranscribedMessages } from './untranscribed-messages.ts'
import { VoiceNotes } from './voice-notes.ts'
import { Webhook } from './webhook.ts'

export interface WebhookNeeds {
  accessTokens: AccessTokens
  messagingPlatform: MessagingPlatform
  receiver: Receiver
}

/** The webhook: deliveries of the messaging platform, each message read once. */
export function makeWebhook(
  parts: Infrastructure &
    Pick<PeopleRoom, 'orgs'> &
    Pick<ProvidersRoom, 'vendors' | 'stageKeys' | 'accounts'> &
    Pick<AgentsRoom, 'runningGateways'> &
    Pick<CallsRoom, 'callRecords'>,
  { accessTokens, messagingPlatform, receiver }: WebhookNeeds,
) {
  const { settings, database, clock, logger, accounts, callRecords } = parts
  const messageClaims = new Claims(database, clock, parts.runningGateways)
  const transcriber = new NoteTranscriber({ ...parts, records: callRecords })
  const voiceNotes = new VoiceNotes({ accessTokens, messagingPlatform, transcriber, accounts })
  const untranscribedMessages = new UntranscribedMessages({
    database,
    clock,
    logger,
    gateways: parts.runningGateways,
    dueChecks: parts.dueChecks,
    voiceNotes,
    receiver,
  })
  const messageReceiver = new MessageReceiver({
    database,
    clock,
    logger,
    claims: messageClaims,
    untranscribedMessages,
    receiver,
  })
  const webhook = new Webhook(settings.messaging, messageReceiver, logger)
  return { messageClaims, untranscribedMessages, webhook }
}
