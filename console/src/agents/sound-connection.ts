import type { AnsweredSound, OpenedBrowserCall } from '@switchroom/contract/browser-calls'
import { api, Refused } from '../api/client.ts'

/** The gateway waits ten seconds for a worker. */
const offerMs = 12_000
/** A worker waits this long for a browser whose network changed. */
const reconnectWithinMs = 15_000
/** An offer that could not be sent is sent again so much later, one that leads nowhere so much. */
const [againMs, answeredMs] = [500, 4_000]

export interface Line {
  close: () => void
}

/** Embedded media: one offer, one answer, and both again whenever the network changes. */
export async function offerSound(
  { server_url, participant_token, ice_servers }: OpenedBrowserCall,
  microphone: MediaStream,
  onEnd: () => void,
): Promise<Line> {
  const connection = new RTCPeerConnection({ iceServers: ice_servers })
  const sound = new Audio()
  const over = new AbortController()
  const { signal } = over
  sound.autoplay = true
  connection.addEventListener('track', ({ streams, track }) => {
    sound.srcObject = streams[0] ?? new MediaStream([track])
    sound.play().catch(() => {}) // a browser that blocks autoplay plays on the next click
  })
  for (const track of microphone.getAudioTracks()) connection.addTrack(track, microphone)
  /** Without candidates: the worker learns where the browser is from what it sends. */
  const offer = async () => {
    await connection.setLocalDescription()
    const offered = { sdp: connection.localDescription?.sdp }
    const options = { key: participant_token, env: null, isProbe: true, signal: AbortSignal.timeout(offerMs) }
    const answer = await api.post<AnsweredSound>(reachable(server_url), offered, options)
    await connection.setRemoteDescription({ type: 'answer', sdp: answer.sdp })
  }
  const close = () => {
    over.abort()
    connection.close()
    sound.srcObject = null
  }
  try {
    await offer()
  } catch (error) {
    close()
    throw error
  }
  reconnectOnChange(connection, offer, signal, onEnd)
  addEventListener('pagehide', close, { signal }) // says goodbye: a tab that is closed ends its call at once
  return { close }
}

/** Restarts ICE when the way to the worker is lost, or the browser is on another network. */
function reconnectOnChange(
  connection: RTCPeerConnection,
  offer: () => Promise<void>,
  signal: AbortSignal,
  onEnd: () => void,
) {
  let isReconnecting = false
  const reconnect = async () => {
    if (isReconnecting || signal.aborted) return
    isReconnecting = true
    const giveUpAt = performance.now() + reconnectWithinMs
    let isFirst = true
    // a connection that still seems to live is restarted once: the browser is on another network
    const isBack = () => !isFirst && connection.connectionState === 'connected'
    while (!isBack() && !signal.aborted && performance.now() < giveUpAt) {
      isFirst = false
      connection.restartIce()
      const failure = await offer().then(
        () => null,
        (error: unknown) => error,
      )
      if (failure instanceof Refused && failure.status > 0) break // the call is over
      await untilConnected(connection, failure === null ? answeredMs : againMs)
    }
    isReconnecting = false
    if (!isBack() && !signal.aborted) onEnd()
  }
  connection.addEventListener(
    'connectionstatechange',
    () => {
      const { connectionState } = connection
      if (connectionState === 'disconnected' || connectionState === 'failed') void reconnect()
      if (connectionState === 'closed') onEnd()
    },
    { signal },
  )
  addEventListener('online', () => void reconnect(), { signal })
}

/** Or until so much time is over. */
function untilConnected(connection: RTCPeerConnection, withinMs: number): Promise<void> {
  return new Promise((resolve) => {
    const check = () => {
      if (connection.connectionState === 'connected') done()
    }
    const done = () => {
      clearTimeout(late)
      connection.removeEventListener('connectionstatechange', check)
      resolve()
    }
    const late = setTimeout(done, withinMs)
    connection.addEventListener('connectionstatechange', check)
    check()
  })
}

/** An http address is the gateway's own: use the host of this page. */
function reachable(address: string): string {
  const { protocol, pathname } = new URL(address)
  return protocol === 'http:' ? pathname : address
}
