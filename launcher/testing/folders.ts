import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

type Undo = () => unknown

/** A test, or a whole file of tests: what `node:test` exports has its `after` too. */
export interface Lasting {
  after: (undo: () => Promise<void>) => void
}

const undos = new WeakMap<Lasting, Undo[]>()

/** Undoes after the test, the latest first; `t.after` alone would start with the earliest. */
export function afterwards(t: Lasting, undo: Undo): void {
  const pending = undos.get(t)
  if (pending) return void pending.push(undo)
  const first = [undo]
  undos.set(t, first)
  t.after(async () => {
    for (const each of first.toReversed()) await each()
  })
}

/** A folder of the test's own, removed after it. */
export function temporaryFolder(t: Lasting, parent = tmpdir()): string {
  const folder = mkdtempSync(join(parent, 'switchroom-test-'))
  afterwards(t, () => rmSync(folder, { recursive: true, force: true }))
  return folder
}
