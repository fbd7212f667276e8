import type { PageCall } from '@switchroom/contract/browser-calls'
import type { Connection, ConnectionEnds } from './connection.ts'

/** LiveKit: its own client, loaded on demand. It reconnects by itself. */
export async function joinRoom(
  token: string,
  { server_url }: PageCall,
  { track: microphone, onSound, onState, onEnd }: ConnectionEnds,
): Promise<Connection> {
  const { Room, RoomEvent, Track } = await import('livekit-client')
  const room = new Room()
  room.on(RoomEvent.TrackSubscribed, (track) => {
    if (track.kind === Track.Kind.Audio) onSound(new MediaStream([track.mediaStreamTrack]))
  })
  room.on(RoomEvent.Reconnecting, () => onState('reconnecting'))
  room.on(RoomEvent.Reconnected, () => onState('connected'))
  room.on(RoomEvent.Disconnected, onEnd)
  const close = () => {
    room.off(RoomEvent.Disconnected, onEnd)
    void room.disconnect()
  }
  try {
    await room.connect(server_url, token)
    const published = await room.localParticipant.publishTrack(microphone, {
      source: Track.Source.Microphone,
    })
    onState('connected')
    return {
      close,
      replaceTrack: async (track) => void (await published.audioTrack?.replaceTrack(track)),
      press: async () => {
        throw new Error('A room of a LiveKit server takes no tones from a browser.')
      },
    }
  } catch (error) {
    close()
    throw error
  }
}
