import { createReadStream, createWriteStream } from 'node:fs'
import { lstat, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { PeriodicTask } from '@switchroom/process/periodic-tasks'
import type { Logger } from 'pino'
import type { RecordedFile } from './recording.ts'
import { mediaTypes, type RecordingFormat } from './recording-formats.ts'
import { GatewayRefusal, type GatewayClient } from '../gateway-client.ts'

const everyMs = 30_000
const fileForm = /^(call_[\w-]{1,80})\.(wav|opus)$/
const peaksBeside = '.peaks'

export interface UnsentRecordingsParts {
  folder: string
  gateway: Pick<GatewayClient, 'uploadRecording'>
  logger: Pick<Logger, 'info' | 'warn'>
}

/** Recordings that the gateway could not store when their calls ended: kept on this machine and sent again. */
export class UnsentRecordings {
  readonly #parts: UnsentRecordingsParts
  readonly task: PeriodicTask

  constructor(parts: UnsentRecordingsParts) {
    this.#parts = parts
    const run = (signal: AbortSignal) => this.sendAll(signal)
    this.task = { name: 'send recordings', everyMs, runsAtStart: true, run }
  }

  /** Sends it, or keeps it if the gateway or its store is away. What the gateway refuses for good is given up. */
  async send(call: string, { format, peaks, open }: RecordedFile): Promise<void> {
    const { gateway, logger } = this.#parts
    try {
      await gateway.uploadRecording(call, open(), { contentType: mediaTypes[format], peaks })
    } catch (error) {
      if (error instanceof GatewayRefusal) throw error
      await this.#keep(`${call}.${format}`, open(), peaks)
      logger.warn({ err: error, call }, 'a recording was not stored: it is kept here and sent again')
    }
  }

  /** Everything that is kept here, also by a worker before this one. */
  async sendAll(signal: AbortSignal): Promise<void> {
    for (const name of await this.#names()) {
      if (signal.aborted || !(await this.#sendKept(name))) return
    }
  }

  /** False if the rest would fail too. */
  async #sendKept(name: string): Promise<boolean> {
    const { folder, gateway, logger } = this.#parts
    const path = join(folder, name)
    const [, call = '', format = 'wav'] = fileForm.exec(name) ?? []
    try {
      const peaks = await readFile(`${path}${peaksBeside}`).catch(() => new Uint8Array(0))
      const contentType = mediaTypes[format as RecordingFormat]
      await gateway.uploadRecording(call, createReadStream(path), { contentType, peaks })
      logger.info({ call }, 'a recording that was kept here is stored')
    } catch (error) {
      if (!(error instanceof GatewayRefusal)) return false
      logger.warn({ err: error, call }, 'a recording that was kept here is refused, and deleted')
    }
    await rm(path, { force: true })
    await rm(`${path}${peaksBeside}`, { force: true })
    return true
  }

  async #keep(name: string, content: Readable, peaks: Uint8Array): Promise<void> {
    const { folder } = this.#parts
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await refuseOthersFolder(folder)
    const path = join(folder, name)
    const part = `${path}.part`
    try {
      await pipeline(content, createWriteStream(part, { mode: 0o600, flush: true }))
      await writeFile(`${path}${peaksBeside}`, peaks, { mode: 0o600 })
      await rename(part, path)
    } catch (error) {
      await rm(part, { force: true })
      throw error
    }
  }

  async #names(): Promise<string[]> {
    const names = await readdir(this.#parts.folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return []
      throw error
    })
    if (names.length > 0) await refuseOthersFolder(this.#parts.folder)
    return names.filter((name) => fileForm.test(name)).toSorted()
  }
}

/** The default is in a folder that every user of the machine may write to. */
async function refuseOthersFolder(folder: string): Promise<void> {
  const { uid } = await lstat(folder)
  if (uid !== (process.getuid?.() ?? uid))
    throw new Error(
      `${folder} belongs to another user: set SVC_UNSENT_RECORDINGS to a folder of the worker's own`,
    )
}
