import type { AnsweredSound, OpenedBrowserCall } from '@switchroom/contract/browser-calls'
import { useEffect, useRef, useState } from 'react'
import { api } from '../api/client.ts'

export interface Line {
  close: () => void
}

export interface VoiceCall {
  state: 'closed' | 'opening' | 'open' | 'ended'
  call: string | null
  error: Error | null
  isMuted: boolean
  start: () => void
  end: () => void
  mute: (isMuted: boolean) => void
}

/** A spoken conversation from this browser's microphone. */
export function useVoiceCall(agent: string): VoiceCall {
  const [state, setState] = useState<VoiceCall['state']>('closed')
  const [call, setCall] = useState<string | null>(null)
  const [error, setError] = useState<Error | null>(null)
  const [isMuted, setMuted] = useState(false)
  const line = useRef<Line | null>(null)
  const microphone = useRef<MediaStream | null>(null)

  const hangUp = () => {
    line.current?.close()
    line.current = null
    for (const track of microphone.current?.getTracks() ?? []) track.stop()
    microphone.current = null
  }
  useEffect(() => hangUp, [agent])

  const end = () => {
    hangUp()
    setState('ended')
  }
  const start = async () => {
    setState('opening')
    setError(null)
    setCall(null)
    setMuted(false)
    try {
      microphone.current = await listen()
      const opened = await api.post<OpenedBrowserCall>('/v1/tokens', { agent })
      setCall(opened.call)
      line.current = await connect(opened, microphone.current, end)
      setState('open')
    } catch (refused) {
      hangUp()
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
      for (const track of microphone.current?.getAudioTracks() ?? []) track.enabled = !wanted
      setMuted(wanted)
    },
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
        ? 'The browser may not use the microphone: allow it for this page, then try again.'
        : 'No microphone was found: connect one, then try again.',
      { cause: error },
    )
  }
}

function connect(opened: OpenedBrowserCall, microphone: MediaStream, onEnd: () => void): Promise<Line> {
  return /^wss?:/.test(opened.server_url)
    ? joinRoom(opened, microphone, onEnd)
    : offerSound(opened, microphone, onEnd)
}

/** The embedded plane: one offer with every candidate in it, one answer. */
async function offerSound(
  { server_url, participant_token }: OpenedBrowserCall,
  microphone: MediaStream,
  onEnd: () => void,
): Promise<Line> {
  const connection = new RTCPeerConnection()
  const sound = new Audio()
  sound.autoplay = true
  connection.addEventListener('track', ({ streams, track }) => {
    sound.srcObject = streams[0] ?? new MediaStream([track])
    void sound.play()
  })
  connection.addEventListener('connectionstatechange', () => {
    if (connection.connectionState === 'failed' || connection.connectionState === 'closed') onEnd()
  })
  for (const track of microphone.getAudioTracks()) connection.addTrack(track, microphone)
  try {
    await connection.setLocalDescription(await connection.createOffer())
    await gathered(connection)
    const offer = { sdp: connection.localDescription?.sdp }
    const asking = { key: participant_token, env: null, isProbe: true }
    const answer = await api.post<AnsweredSound>(reachable(server_url), offer, asking)
    await connection.setRemoteDescription({ type: 'answer', sdp: answer.sdp })
  } catch (error) {
    connection.close()
    throw error
  }
  return {
    close: () => {
      connection.close()
      sound.srcObject = null
    },
  }
}

/** An http address is the gateway's own, whatever name this page was opened under. */
function reachable(address: string): string {
  const { protocol, pathname } = new URL(address)
  return protocol === 'http:' ? pathname : address
}

function gathered(connection: RTCPeerConnection): Promise<void> {
  return new Promise((resolve) => {
    const check = () => {
      if (connection.iceGatheringState === 'complete') resolve()
    }
    connection.addEventListener('icegatheringstatechange', check)
    check()
  })
}

/** LiveKit: its own client, loaded when it is needed. */
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
  await room.connect(server_url, participant_token)
  const [track] = microphone.getAudioTracks()
  if (track) await room.localParticipant.publishTrack(track, { source: Track.Source.Microphone })
  return {
    close: () => {
      room.off(RoomEvent.Disconnected, onEnd)
      void room.disconnect()
    },
  }
}
