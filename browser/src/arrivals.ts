/** The worker sends something twice a second, and hangs up on a browser that it has not heard for 4.5 s. */
const silentMs = 1_800
const lookMs = 200

/** Calls `onSilence` when nothing arrives any more, seconds before the browser itself gives the connection up. */
export function watchArrivals(peer: RTCPeerConnection, onSilence: () => void, signal: AbortSignal): void {
  let known = 0
  let arrivedAt = performance.now()
  const look = async () => {
    const arrived = await arrivalsOf(peer)
    const now = performance.now()
    const isWatched = peer.connectionState === 'connected' && arrived > 0
    if (arrived !== known || !isWatched) arrivedAt = now
    known = arrived
    if (now - arrivedAt < silentMs || signal.aborted) return
    arrivedAt = now
    onSilence()
  }
  const looks = setInterval(() => void look(), lookMs)
  signal.addEventListener('abort', () => clearInterval(looks))
}

/** Until something arrives over a connection that lives, or so much time is over. */
export async function untilArrival(
  peer: RTCPeerConnection,
  withinMs: number,
  signal: AbortSignal,
): Promise<void> {
  const giveUpAt = performance.now() + withinMs
  const before = await arrivalsOf(peer)
  const isThere = async () => peer.connectionState === 'connected' && (await arrivalsOf(peer)) > before
  while (!signal.aborted && performance.now() < giveUpAt && !(await isThere()))
    await new Promise((resolve) => setTimeout(resolve, lookMs / 2))
}

/** How many packets of the worker's sound came. */
async function arrivalsOf(peer: RTCPeerConnection): Promise<number> {
  const [receiver] = peer.getReceivers()
  let packets = 0
  for (const entry of ((await receiver?.getStats()) ?? new Map()).values() as Iterable<Stats>)
    if (entry.type === 'inbound-rtp') packets += entry.packetsReceived ?? 0
  return packets
}

interface Stats {
  type: string
  packetsReceived?: number
}
