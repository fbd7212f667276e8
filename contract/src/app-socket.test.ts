import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Static, TSchema } from 'typebox'
import type { CallShape, LineTurnShape } from './app-events.ts'
import type { AgentHolders, AgentRegistered, AppError, AppErrorCode } from './apps.ts'
import {
  type appErrorCodes,
  eventFrames,
  framesFromApp,
  framesToApp,
  type framesToChat,
} from './app-socket.ts'
import type { CallPassed, CallPreparing, ToolReceived } from './call-frames.ts'
import type { ChatFrame } from './chat.ts'
import type {
  CallRouted,
  LineCall,
  LineCallEnded,
  LineCallPassed,
  LineError,
  LineReady,
  RouteFailed,
} from './lines.ts'
import type { Call, LineTurn } from './log.ts'

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false
type ToApp = typeof framesToApp
type SameFrame<Name extends keyof ToApp, Frame> = Same<Static<ToApp[Name]>, Frame>

// The compiler checks these: a schema of a frame says what the program that sends it says.
const areSame: [
  Same<Static<typeof CallShape>, Call>,
  Same<Static<typeof LineTurnShape>, LineTurn>,
  Same<(typeof appErrorCodes)[number], AppErrorCode>,
  SameFrame<'agent.registered', AgentRegistered>,
  SameFrame<'refused', AppError>,
  SameFrame<'agent.holders', AgentHolders>,
  SameFrame<'ready', LineReady>,
  SameFrame<'lineRefused', LineError>,
  SameFrame<'tool.received', ToolReceived>,
  SameFrame<'call.passed', CallPassed>,
  SameFrame<'call.preparing', CallPreparing>,
  SameFrame<'call', LineCall>,
  SameFrame<'lineCallPassed', LineCallPassed>,
  SameFrame<'lineCallRouted', CallRouted>,
  SameFrame<'lineCallEnded', LineCallEnded>,
  SameFrame<'call.route_failed', RouteFailed>,
  Same<Static<(typeof framesToChat)[keyof typeof framesToChat]>, ChatFrame>,
] = [true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true]

test('every frame has its type as a constant, and an event the fields of every event', () => {
  assert.ok(areSame.every(Boolean))
  const all: [string, TSchema][] = [framesFromApp, framesToApp, eventFrames].flatMap(Object.entries)
  for (const [name, schema] of all) {
    const { properties } = schema as unknown as { properties: Record<string, { const?: string }> }
    assert.equal(typeof properties['type']?.const, 'string', name)
  }
  for (const schema of Object.values(eventFrames))
    assert.deepEqual(Object.keys(schema.properties).toSorted(), [
      'agent',
      'call',
      'data',
      'more',
      'seq',
      'type',
    ])
})
