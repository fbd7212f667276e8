import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

type Undo = () => unknown

const undos = new WeakMap<TestContext, Undo[]>()

/** Undoes after the test, the latest first; `t.after` alone would start with the earliest. */
export function afterwards(t: TestContext, undo: Undo): void {
  const pending = undos.get(t)
  if (pending) return void pending.push(undo)
  const first = [undo]
  undos.set(t, first)
  t.after(async () => {
    for (const each of first.toReversed()) await each()
  })
}

/** A folder of the test's own, removed after it. */
export function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'switchroom-test-'))
  afterwards(t, () => rmSync(folder, { recursive: true, force: true }))
  return folder
}
