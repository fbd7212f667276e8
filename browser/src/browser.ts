// What a page imports.

export { startCall, type StartCall } from './start-call.ts'
export type { BrowserCall, CallEvents, CallState } from './call.ts'
export { devices, type Devices } from './microphone.ts'
export type { AgentState, Line } from './transcript.ts'
export type { Levels } from './levels.ts'
export { Refused } from './gateway.ts'
