import type { Environment } from '@switchroom/contract/scopes'
import { LiveKitDispatch, type OfferedJob, type RoomJob } from '@switchroom/media/livekit/dispatch'
import type { LiveKitAddress } from '@switchroom/media/livekit/server'
import { workerToken } from '@switchroom/media/livekit/tickets'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { callOf } from './livekit-job.ts'
import type { RoomTask } from '../process-messages.ts'
import type { RunningCalls } from '../processes/running-calls.ts'

const firstPauseMs = 500
const longestPauseMs = 10_000

export interface LiveKitCallsParts {
  env: Environment
  address: LiveKitAddress
  fleet: string
  logger: Logger
  calls: RunningCalls
  capacity: number
  /** Reports to the gateway how busy this worker is; answers whether every worker of the environment is full. */
  tellLoad: () => Promise<boolean>
  draining: AbortSignal
  stopping: AbortSignal
}

/** The calls of one environment whose sound a LiveKit server carries. */
export class LiveKitCalls {
  readonly #parts: LiveKitCallsParts

  constructor(parts: LiveKitCallsParts) {
    this.#parts = parts
  }

  /** Until the server is there; once it knows this worker, it is asked again by itself when it was lost. */
  async register(): Promise<void> {
    const { env, address, fleet, logger, calls, capacity, draining, stopping } = this.#parts
    for (let pauseMs = firstPauseMs; !draining.aborted; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      try {
        const dispatch = await LiveKitDispatch.register({
          address,
          fleet,
          free: () => capacity - calls.count,
          load: () => calls.count / capacity,
          overflow: (job) => this.#overflows(job),
          onJob: (job) => this.#run(job),
          log: (sentence) => logger.warn({ env }, sentence),
        })
        logger.info({ env, fleet }, 'registered at the media server')
        whenAborted(draining, () => dispatch.drain())
        whenAborted(stopping, () => dispatch.stop())
        return
      } catch (error) {
        logger.warn({ err: error, env }, 'not registered at the media server yet')
        await sleep(pauseMs, undefined, { signal: draining }).catch(() => {})
      }
    }
  }

  /** Only a phone can hear the sentence and be called back, and only if no other worker has a place. */
  async #overflows(job: OfferedJob): Promise<boolean> {
    return callOf(job)?.way === 'arrived' && this.#parts.tellLoad()
  }

  #run(job: RoomJob) {
    const { env, calls, address, logger, capacity, tellLoad } = this.#parts
    const found = callOf(job)
    if (!found) {
      logger.warn({ room: job.room }, 'a room was handed over that is no call of ours')
      return job.done('no call of ours')
    }
    const { url, room, token } = job
    const task: RoomTask = {
      kind: 'room',
      call: found.call,
      env,
      way: job.isOverflow ? 'overflow' : found.way,
      terms: { url, room, token },
      server: address,
      endsAt: found.way === 'placed' ? Date.now() + found.maxDurationS * 1000 : null,
      language: undefined,
    }
    calls.runRoom(task, {
      over: () => {
        job.done()
        if (calls.count === capacity - 1) void tellLoad() // there is a place again
      },
      lost: (language) => {
        job.done('the process that ran the call is gone')
        return this.#tellLost(task, language)
      },
    })
    job.signal.addEventListener('abort', () => calls.end(task.call), { once: true })
  }

  /** Another process goes to the room and says what happened. */
  async #tellLost(task: RoomTask, language: string | undefined) {
    const { calls, address } = this.#parts
    const token = await workerToken(address, task.terms.room)
    const { promise, resolve } = Promise.withResolvers<void>()
    const telling: RoomTask = { ...task, way: 'lost', terms: { ...task.terms, token }, language }
    calls.runRoom(telling, { over: resolve, lost: async () => resolve() })
    await promise
  }
}

function whenAborted(signal: AbortSignal, act: () => void): void {
  if (signal.aborted) act()
  else signal.addEventListener('abort', act, { once: true })
}
