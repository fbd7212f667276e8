import { Refused, startCall, type BrowserCall, type Line } from '@switchroom/browser'
import type { OpenedBrowserCall } from '@switchroom/contract/browser-calls'
import { useEffect, useRef, useState } from 'react'
import { api } from '../api/client.ts'
import { screenSentence } from '../api/screen-sentences.ts'

export interface VoiceCall {
  state: 'closed' | 'opening' | 'open' | 'ended'
  call: string | null
  lines: readonly Line[]
  error: Error | null
  isMuted: boolean
  start: () => void
  end: () => void
  mute: (isMuted: boolean) => void
}

/** A call that is being started or runs. */
interface Attempt {
  controller: AbortController
  call?: BrowserCall
  isMuted: boolean
}

/** A spoken call from this browser's microphone. */
export function useVoiceCall(agent: string): VoiceCall {
  const [state, setState] = useState<VoiceCall['state']>('closed')
  const [call, setCall] = useState<string | null>(null)
  const [lines, setLines] = useState<readonly Line[]>([])
  const [error, setError] = useState<Error | null>(null)
  const [isMuted, setMuted] = useState(false)
  const attempt = useRef<Attempt | null>(null)

  const leave = () => {
    attempt.current?.controller.abort()
    attempt.current?.call?.hangUp()
    attempt.current = null
  }
  useEffect(() => leave, [agent])

  const end = () => {
    leave()
    setState('ended')
  }
  const start = async () => {
    leave()
    const current: Attempt = (attempt.current = { controller: new AbortController(), isMuted: false })
    const isCurrent = () => attempt.current === current
    setState('opening')
    setError(null)
    setCall(null)
    setLines([])
    setMuted(false)
    const token = async () => {
      const opened = await api.post<OpenedBrowserCall>('/v1/tokens', { agent })
      if (isCurrent()) setCall(opened.call)
      return opened.participant_token
    }
    try {
      const started = await startCall({ url: location.origin, token, signal: current.controller.signal })
      current.call = started
      started.mute(current.isMuted)
      started.on('transcript', () => isCurrent() && setLines(started.transcript))
      started.on('ended', () => isCurrent() && end())
      setLines(started.transcript)
      setState('open')
    } catch (failure) {
      if (!isCurrent()) return
      leave()
      setError(onScreen(failure))
      setState('closed')
    }
  }
  return {
    state,
    call,
    lines,
    error,
    isMuted,
    start: () => void start(),
    end,
    mute: (wanted) => {
      if (attempt.current) attempt.current.isMuted = wanted
      attempt.current?.call?.mute(wanted)
      setMuted(wanted)
    },
  }
}

function onScreen(failure: unknown): Error {
  if (failure instanceof Refused) return new Error(screenSentence(failure.message), { cause: failure })
  return failure instanceof Error ? failure : new Error(String(failure))
}
