// What a page imports.

export { startCall, type StartCall } from './start-call.ts'
export type { BrowserCall, CallEvents, CallState } from './call.ts'
export { startChat, type BrowserChat, type ChatEvents, type ChatState, type StartChat } from './chat.ts'
export { devices, type Devices } from './microphone.ts'
export type { PageKey } from './page-key.ts'
export type { AgentState, Line } from './transcript.ts'
export type { Levels } from './levels.ts'
export { Refused } from './gateway.ts'
