import {
  startCall,
  type AgentState,
  type BrowserCall,
  type CallState,
  type Line,
  type StartCall,
} from '@switchroom/browser'
import { useCallback, useEffect, useRef, useState } from 'react'

export interface UsedCall {
  /** `idle` before the first call; `connecting` from `start()` on. */
  state: 'idle' | CallState
  agentState: AgentState
  transcript: readonly Line[]
  isMuted: boolean
  /** Why the last call could not start, in a sentence. */
  error: Error | null
  /** Why the last call ended: `hangup`, `idle_timeout`, … */
  endReason: string | null
  /** The call itself, for levels, devices and tones. */
  call: BrowserCall | null
  /** Starts a call, in place of a running one. */
  start: () => void
  hangUp: () => void
  mute: (isMuted?: boolean) => void
}

type Shown = Pick<
  UsedCall,
  'state' | 'agentState' | 'transcript' | 'isMuted' | 'error' | 'endReason' | 'call'
>

const idle: Shown = {
  state: 'idle',
  agentState: 'listening',
  transcript: [],
  isMuted: false,
  error: null,
  endReason: null,
  call: null,
}

interface Attempt {
  controller: AbortController
  call?: BrowserCall
  isMuted: boolean
}

/** A spoken call of the component, which hangs up when the component goes away. */
export function useCall(options: StartCall): UsedCall {
  const [shown, setShown] = useState(idle)
  const attempt = useRef<Attempt | null>(null)
  const latest = useRef(options)
  latest.current = options

  const leave = useCallback(() => {
    const current = attempt.current
    attempt.current = null
    current?.controller.abort()
    current?.call?.hangUp()
  }, [])
  useEffect(() => leave, [leave])

  const start = useCallback(async () => {
    leave()
    const current: Attempt = { controller: new AbortController(), isMuted: false }
    attempt.current = current
    const show = (more: Partial<Shown>) => {
      if (attempt.current === current) setShown((before) => ({ ...before, ...more }))
    }
    setShown({ ...idle, state: 'connecting' })
    try {
      const given = latest.current.signal
      const { signal: own } = current.controller
      const signal = given ? AbortSignal.any([own, given]) : own
      const call = await startCall({ ...latest.current, signal })
      current.call = call
      call.mute(current.isMuted)
      call.on('transcript', () => show({ transcript: call.transcript }))
      call.on('agent', (agentState) => show({ agentState }))
      call.on('state', (state) => show({ state }))
      call.on('ended', ({ reason }) => show({ state: 'ended', endReason: reason, call: null }))
      show({ state: call.state, agentState: call.agentState, transcript: call.transcript, call })
    } catch (failure) {
      show({ state: 'idle', error: failure instanceof Error ? failure : new Error(String(failure)) })
    }
  }, [leave])

  const hangUp = useCallback(() => {
    leave()
    setShown((before) => ({ ...before, state: 'ended', endReason: 'hangup', call: null }))
  }, [leave])

  const mute = useCallback((isMuted = true) => {
    if (!attempt.current) return
    attempt.current.isMuted = isMuted
    attempt.current.call?.mute(isMuted)
    setShown((before) => ({ ...before, isMuted }))
  }, [])

  return { ...shown, start: useCallback(() => void start(), [start]), hangUp, mute }
}
