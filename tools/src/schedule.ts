/** A program of a run: a test file, or one that runs several of them. */
export interface TestProgram {
  path: string
  kind: 'busy' | 'waiting' | 'quiet'
}

/** How many run together on two cores: those that mostly wait for other processes, or for time, leave a core idle. */
const mostTogether = 4
const mostBusy = 2
const mostWaiting = 2

/** Which programs start now, those that stand first before others; a quiet one only when nothing else runs any more. */
export function startable(left: readonly TestProgram[], running: readonly TestProgram[]): TestProgram[] {
  const loud = left.filter(({ kind }) => kind !== 'quiet')
  if (loud.length === 0 && running.length === 0) return left.slice(0, 1)
  const started: TestProgram[] = []
  const count = (kind: TestProgram['kind']) =>
    [...running, ...started].filter((program) => program.kind === kind).length
  for (const program of loud) {
    if (running.length + started.length >= mostTogether) break
    const other = program.kind === 'busy' ? 'waiting' : 'busy'
    const most = program.kind === 'busy' ? mostBusy : mostWaiting
    const othersLeft = loud.some(({ kind }) => kind === other)
    // One kind takes the places of the other once that has nothing left to start.
    if (count(program.kind) < most || !othersLeft) started.push(program)
  }
  return started
}

/** Runs them all, each once. */
export async function runAll(
  programs: readonly TestProgram[],
  run: (path: string) => Promise<void>,
): Promise<void> {
  const left = [...programs]
  const running = new Map<TestProgram, Promise<void>>()
  while (left.length + running.size > 0) {
    for (const program of startable(left, [...running.keys()])) {
      left.splice(left.indexOf(program), 1)
      running.set(
        program,
        run(program.path).finally(() => running.delete(program)),
      )
    }
    await Promise.race(running.values())
  }
}
