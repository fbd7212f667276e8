import type { PageCall } from '@switchroom/contract/browser-calls'
import { untilArrival, watchArrivals } from './arrivals.ts'
import type { Connection, ConnectionEnds } from './connection.ts'
import { Refused, type CallGateway } from './gateway.ts'

/** A worker waits this long for a browser whose network changed. */
const reconnectWithinMs = 15_000
/** An offer that could not be sent is sent again so much later, one that leads nowhere so much. */
const [againMs, answeredMs] = [500, 4_000]
const [toneMs, gapMs] = [100, 70]

/** Embedded media: one offer, one answer, and both again whenever the network changes. */
export async function offerSound(
  gateway: CallGateway,
  { ice_servers }: PageCall,
  ends: ConnectionEnds,
): Promise<Connection> {
  const peer = new RTCPeerConnection({ iceServers: ice_servers })
  const over = new AbortController()
  peer.addEventListener('track', ({ streams, track }) => ends.onSound(streams[0] ?? new MediaStream([track])))
  const sender = peer.addTrack(ends.track, new MediaStream([ends.track]))
  /** Without candidates: the worker learns where the browser is from what it sends. */
  const offer = async () => {
    await peer.setLocalDescription()
    const { sdp } = await gateway.offer(peer.localDescription?.sdp)
    await peer.setRemoteDescription({ type: 'answer', sdp })
  }
  const close = () => {
    over.abort()
    peer.close() // says goodbye: the worker hangs up at once
  }
  try {
    await offer()
  } catch (error) {
    close()
    throw error
  }
  reconnectOnChange(peer, offer, over.signal, ends)
  return {
    close,
    replaceTrack: (track) => sender.replaceTrack(track),
    press: async (digits) => {
      if (!sender.dtmf) throw new Error('This browser sends no tones.')
      sender.dtmf.insertDTMF(digits, toneMs, gapMs)
    },
  }
}

/** Restarts ICE when the way to the worker is lost, or the browser is on another network. */
function reconnectOnChange(
  peer: RTCPeerConnection,
  offer: () => Promise<void>,
  signal: AbortSignal,
  { onState, onEnd }: ConnectionEnds,
) {
  let isReconnecting = false
  const reconnect = async () => {
    if (isReconnecting || signal.aborted) return
    isReconnecting = true
    onState('reconnecting')
    const giveUpAt = performance.now() + reconnectWithinMs
    let isFirst = true
    // a connection that still seems to live is restarted once: the browser is on another network
    const isBack = () => !isFirst && peer.connectionState === 'connected'
    while (!isBack() && !signal.aborted && performance.now() < giveUpAt) {
      isFirst = false
      peer.restartIce()
      const failure = await offer().then(
        () => null,
        (error: unknown) => error,
      )
      if (failure instanceof Refused && failure.status > 0) break // the call is over
      await untilArrival(peer, failure === null ? answeredMs : againMs, signal)
    }
    isReconnecting = false
    if (signal.aborted) return
    if (isBack()) onState('connected')
    else onEnd()
  }
  peer.addEventListener(
    'connectionstatechange',
    () => {
      const { connectionState } = peer
      if (connectionState === 'disconnected' || connectionState === 'failed') void reconnect()
      if (connectionState === 'connected' && !isReconnecting) onState('connected')
      if (connectionState === 'closed') onEnd()
    },
    { signal },
  )
  addEventListener('online', () => void reconnect(), { signal })
  watchArrivals(peer, () => void reconnect(), signal)
}
