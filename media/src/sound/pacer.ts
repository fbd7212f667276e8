/** How much sound goes out and comes in at once. */
export const frameMs = 20
/** After a longer stall the missed frames are left out: a burst of them would overflow the other end's buffer. */
const longestBurst = 6

/** Something that sends and hears one frame at a time. */
export interface Paced {
  /** One frame is due. */
  tick(): void
  /** So many frames were due while this process was busy, and are left out. */
  missed(frames: number): void
}

const paced = new Set<Paced>()
let timer: NodeJS.Timeout | undefined
/** When the next frame is due. */
let dueAt = 0

/** Every 20 ms from now on, measured from the beginning, so that lateness never adds up. */
export function pace(one: Paced): void {
  paced.add(one)
  if (timer) return
  dueAt = performance.now() + frameMs
  schedule()
}

export function unpace(one: Paced): void {
  paced.delete(one)
  if (paced.size > 0 || !timer) return
  clearTimeout(timer)
  timer = undefined
}

function schedule(): void {
  // Packets that came while this process was busy are read before the frame that they belong to is due.
  timer = setTimeout(() => setImmediate(run), Math.max(1, dueAt - performance.now()))
}

function run(): void {
  if (paced.size === 0) return
  const due = Math.floor((performance.now() - dueAt) / frameMs) + 1
  const left = Math.max(0, due - longestBurst)
  for (const one of paced) {
    if (left > 0) one.missed(left)
    for (let frame = left; frame < due && paced.has(one); frame += 1) one.tick()
  }
  dueAt += Math.max(0, due) * frameMs
  if (paced.size > 0) schedule()
  else timer = undefined
}
