export { Agent, type AgentOptions, type DeclaredSettings, type HoldOptions } from './agent.ts'
export { Call, MessagingSession, type CallbackDetails, type TransferDetails, type Turn } from './call.ts'
export { Chat, openChat, type ChatEvents, type ChatOptions } from './chat.ts'
export { DialClient, type DialOptions } from './dialling.ts'
export { SwitchroomError } from './errors.ts'
export type {
  AgentEvents,
  CallEvents,
  Holders,
  LineEvents,
  MemoryOp,
  PreparingTurn,
  ToolCall,
} from './events.ts'
export { GatewayRefusal } from './gateway-refusal.ts'
export {
  NumbersClient,
  type BuyNumberOptions,
  type NumberForSale,
  type NumberSearchOptions,
  type ReleaseNumberOptions,
} from './numbers.ts'
export { PhoneLine, type PhoneLineOptions, type RouteOutcome } from './line.ts'
export { followCall, type FollowCallOptions } from './log-follower.ts'
export { ModelEndpoints } from './model-endpoints.ts'
export { relay, type Relay } from './relay.ts'
export { SpeechClient, type SpeechClientOptions } from './speech.ts'
export { SpeechError } from './speech-error.ts'
export type { SpeechAudio } from './speech-audio.ts'
export type { SpeechEvents } from './speech-events.ts'
export type {
  SpeechEvent,
  SpeechOptions,
  SpeechVoice,
  StreamFrame,
  StreamOptions,
  TranscribeOptions,
  Transcript,
  VerboseTranscript,
} from './speech-shapes.ts'
export type { TranscriptionStream } from './speech-stream.ts'
export { connect, Switchroom, type SwitchroomEvents, type SwitchroomOptions } from './switchroom.ts'
export {
  ThreadsClient,
  type MessageTemplate,
  type ReadMark,
  type SendTemplate,
  type TemplateList,
  type Thread,
  type WrittenToThread,
} from './threads.ts'
export { tool, type Tool } from './tool.ts'
export type { TransferOutcome } from './transfers.ts'
export { Type } from 'typebox'
