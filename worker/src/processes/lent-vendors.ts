import type { ChildProcess } from 'node:child_process'
import { Socket } from 'node:net'
import type { InstalledVendor, InstalledVendors } from '@switchroom/kit/installed'

/** After stdin, stdout, stderr and the messages between a worker and its process. */
const firstChannel = 4

/**
 * The vendors whose programs on this machine the worker's first process runs, once for all of its call processes.
 * Each process inherits a pipe for each of them: nothing else can reach it, and it closes when either end dies.
 */
export class LentVendors {
  readonly #vendors: readonly InstalledVendor[]

  constructor(vendors: readonly InstalledVendor[]) {
    this.#vendors = vendors
  }

  static async among(vendors: InstalledVendors): Promise<LentVendors> {
    const can = await Promise.all(vendors.all.map((vendor) => vendor.canLend()))
    return new LentVendors(vendors.all.filter((_, at) => can[at]))
  }

  /** Their names, for the process that borrows them. */
  get names(): string {
    return this.#vendors.map(({ name }) => name).join()
  }

  /** What a process is started with, after its first four. */
  get pipes(): 'pipe'[] {
    return this.#vendors.map(() => 'pipe')
  }

  lendTo(child: ChildProcess): void {
    const pipes = child.stdio as ChildProcess['stdio'] | undefined // there is none if no process could be started
    for (const [at, vendor] of this.#vendors.entries()) {
      const pipe = pipes?.[firstChannel + at]
      if (pipe instanceof Socket) void vendor.lend(pipe)
    }
  }
}

/** In a call process: uses what the worker lends. */
export async function borrowVendors(vendors: Pick<InstalledVendors, 'get'>, names: string): Promise<void> {
  const lent = names.split(',').filter((name) => name !== '')
  await Promise.all(
    lent.map(async (name, at) => vendors.get(name)?.borrow(new Socket({ fd: firstChannel + at }))),
  )
}
