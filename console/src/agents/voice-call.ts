import type { OpenedBrowserCall } from '@switchroom/contract/browser-calls'
import { useEffect, useRef, useState } from 'react'
import { api } from '../api/client.ts'
import { offerSound, type Line } from './sound-connection.ts'

export interface VoiceCall {
  state: 'closed' | 'opening' | 'open' | 'ended'
  call: string | null
  error: Error | null
  isMuted: boolean
  start: () => void
  end: () => void
  mute: (isMuted: boolean) => void
}

/** A spoken call from this browser's microphone. */
export function useVoiceCall(agent: string): VoiceCall {
  const [state, setState] = useState<VoiceCall['state']>('closed')
  const [call, setCall] = useState<string | null>(null)
  const [error, setError] = useState<Error | null>(null)
  const [isMuted, setMuted] = useState(false)
  const attempt = useRef<Attempt | null>(null)

  const leave = () => {
    attempt.current?.close()
    attempt.current = null
  }
  useEffect(() => leave, [agent])

  const end = () => {
    leave()
    setState('ended')
  }
  const start = async () => {
    leave()
    const current = (attempt.current = new Attempt())
    setState('opening')
    setError(null)
    setCall(null)
    setMuted(false)
    try {
      const microphone = await listen()
      current.speakInto(microphone)
      if (current.isOver) return
      const opened = await api.post<OpenedBrowserCall>('/v1/tokens', { agent })
      if (current.isOver) return
      setCall(opened.call)
      const ended = () => {
        if (!current.isOver) end()
      }
      current.keep(await connect(opened, microphone, ended))
      if (!current.isOver) setState('open')
    } catch (refused) {
      if (current.isOver) return
      leave()
      setError(refused instanceof Error ? refused : new Error(String(refused)))
      setState('closed')
    }
  }
  return {
    state,
    call,
    error,
    isMuted,
    start: () => void start(),
    end,
    mute: (wanted) => {
      attempt.current?.mute(wanted)
      setMuted(wanted)
    },
  }
}

/** The resources of a call. Closed while it connects, it also closes what arrives later. */
class Attempt {
  isOver = false
  #isMuted = false
  #microphone: MediaStream | null = null
  readonly #kept: Line[] = []

  keep(line: Line): void {
    if (this.isOver) line.close()
    else this.#kept.push(line)
  }

  speakInto(microphone: MediaStream): void {
    this.#microphone = microphone
    this.mute(this.#isMuted) // set before the microphone was there
    this.keep({
      close: () => {
        for (const track of microphone.getTracks()) track.stop()
      },
    })
  }

  mute(isMuted: boolean): void {
    this.#isMuted = isMuted
    for (const track of this.#microphone?.getAudioTracks() ?? []) track.enabled = !isMuted
  }

  close(): void {
    this.isOver = true
    for (const line of this.#kept.splice(0)) line.close()
  }
}

async function listen(): Promise<MediaStream> {
  try {
    return await navigator.mediaDevices.getUserMedia({
      audio: { echoCancellation: true, noiseSuppression: true },
    })
  } catch (error) {
    const isForbidden = error instanceof DOMException && error.name === 'NotAllowedError'
    throw new Error(
      isForbidden
        ? 'Microphone access is blocked. Allow it for this page, then try again.'
        : 'No microphone found. Connect one, then try again.',
      { cause: error },
    )
  }
}

function connect(opened: OpenedBrowserCall, microphone: MediaStream, onEnd: () => void): Promise<Line> {
  return /^wss?:/.test(opened.server_url)
    ? joinRoom(opened, microphone, onEnd)
    : offerSound(opened, microphone, onEnd)
}

/** LiveKit: its own client, loaded on demand. */
async function joinRoom(
  { server_url, participant_token }: OpenedBrowserCall,
  microphone: MediaStream,
  onEnd: () => void,
): Promise<Line> {
  const { Room, RoomEvent, Track } = await import('livekit-client')
  const room = new Room()
  room.on(RoomEvent.TrackSubscribed, (track) => {
    if (track.kind === Track.Kind.Audio) track.attach()
  })
  room.on(RoomEvent.TrackUnsubscribed, (track) => void track.detach())
  room.on(RoomEvent.Disconnected, onEnd)
  const close = () => {
    room.off(RoomEvent.Disconnected, onEnd)
    void room.disconnect()
  }
  try {
    await room.connect(server_url, participant_token)
    const [track] = microphone.getAudioTracks()
    if (track) await room.localParticipant.publishTrack(track, { source: Track.Source.Microphone })
  } catch (error) {
    close()
    throw error
  }
  return { close }
}
