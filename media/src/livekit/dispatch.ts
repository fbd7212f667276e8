import {
  AvailabilityResponse,
  type Job,
  type JobAssignment,
  JobStatus,
  JobType,
  ParticipantPermission,
  RegisterWorkerRequest,
  ServerMessage,
  UpdateJobStatus,
  UpdateWorkerStatus,
  WorkerMessage,
  WorkerPing,
  WorkerStatus,
} from '@livekit/protocol'
import { AccessToken } from 'livekit-server-sdk'
import type { LiveKitAddress } from './server.ts'
import { MediaError } from '../plane.ts'

const tokenLifetime = '10m'
const registerMs = 10_000
/** How often this worker reports to the server how busy it is. */
const loadEveryMs = 2500
/** A server that has answered nothing for so long is gone, even if its connection seems to be open. */
const silentMs = 10_000
/** A call that was accepted and never assigned went to another worker. */
const assignedWithinMs = 7500
/** A server is passed over once each of its workers says 0.7 or more, even if there are places. */
const mostLoad = 0.69
const firstRetryMs = 500
const longestRetryMs = 10_000

export interface DispatchOptions {
  address: LiveKitAddress
  /** The workers that this one is one of: the name that calls are dispatched to. */
  fleet: string
  /** How many more calls it takes now. */
  free: () => number
  /** Every place is taken: whether a call is taken all the same, so that its caller hears that all workers are busy. */
  overflow?: (job: OfferedJob) => Promise<boolean>
  /** How much of it is used, 0 to 1. */
  load: () => number
  onJob: (job: RoomJob) => void
  /** Why the server was lost, and what it says of others. */
  log?: (sentence: string) => void
}

export interface OfferedJob {
  room: string
  /** The dispatch's metadata; JSON in calls of ours. */
  metadata: string
}

/** A call in a room, to be joined with the token. */
export interface RoomJob extends OfferedJob {
  id: string
  url: string
  token: string
  /** There is no place for it; it was taken by `overflow`. */
  isOverflow: boolean
  /** Aborted when the server takes the call away. */
  signal: AbortSignal
  /** Reports to the server that the call is over here. */
  done: (error?: string) => void
}

interface Accepted {
  late: NodeJS.Timeout
  isOverflow: boolean
}

/** This worker as a LiveKit server knows it: what it offers to take, and the calls it is given. */
export class LiveKitDispatch {
  readonly #options: DispatchOptions
  readonly #accepted = new Map<string, Accepted>()
  readonly #running = new Map<string, AbortController>()
  #socket: WebSocket | undefined
  #load: NodeJS.Timeout | undefined
  #retry: NodeJS.Timeout | undefined
  #retryMs = firstRetryMs
  #heardAt = 0
  #isDraining = false
  #isStopped = false

  private constructor(options: DispatchOptions) {
    this.#options = options
  }

  /** Resolves once the server knows this worker; fails with a `MediaError` when it does not come to that. */
  static async register(options: DispatchOptions): Promise<LiveKitDispatch> {
    const dispatch = new LiveKitDispatch(options)
    await dispatch.#connect()
    return dispatch
  }

  /** Calls that run here now. */
  get jobs(): number {
    return this.#running.size
  }

  /** Takes no more calls; those that run continue. */
  drain(): void {
    this.#isDraining = true
    this.#tellLoad()
  }

  /** Leaves the server; calls that run here are its no longer. */
  stop(): void {
    this.#isStopped = true
    clearInterval(this.#load)
    clearTimeout(this.#retry)
    for (const { late } of this.#accepted.values()) clearTimeout(late)
    this.#socket?.close()
  }

  async #connect(): Promise<void> {
    const { url, key, secret } = this.#options.address
    const token = new AccessToken(key, secret, { ttl: tokenLifetime })
    token.addGrant({ agent: true })
    const at = new URL('agent', url.endsWith('/') ? url : `${url}/`)
    at.protocol = at.protocol.replace('http', 'ws')
    const headers = { authorization: `Bearer ${await token.toJwt()}` }
    const socket = new WebSocket(at, { headers })
    socket.binaryType = 'arraybuffer'
    this.#socket = socket
    await this.#registered(socket)
    socket.addEventListener('close', () => this.#lost(socket))
    this.#retryMs = firstRetryMs
    clearInterval(this.#load)
    this.#load = setInterval(() => this.#beat(socket), loadEveryMs)
    this.#tellLoad()
    if (this.#isStopped) socket.close()
  }

  #registered(socket: WebSocket): Promise<void> {
    const refused = new MediaError('the media server did not take this worker')
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(refused)
        socket.close()
      }, registerMs)
      socket.addEventListener('open', () => this.#send({ case: 'register', value: this.#registration() }))
      socket.addEventListener('message', ({ data }) => {
        if (this.#receive(data as ArrayBuffer) !== 'register') return
        clearTimeout(timer)
        resolve()
      })
      socket.addEventListener('error', () => reject(refused))
      socket.addEventListener('close', () => {
        clearTimeout(timer)
        reject(refused)
      })
    })
  }

  #registration(): RegisterWorkerRequest {
    const allowed = { canPublish: true, canSubscribe: true, canPublishData: true, agent: true }
    return new RegisterWorkerRequest({
      type: JobType.JT_ROOM,
      agentName: this.#options.fleet,
      version: '1',
      allowedPermissions: new ParticipantPermission(allowed),
    })
  }

  #beat(socket: WebSocket): void {
    if (performance.now() - this.#heardAt > silentMs) {
      this.#lost(socket)
      return socket.close()
    }
    this.#tellLoad()
    this.#send({ case: 'ping', value: new WorkerPing({ timestamp: BigInt(Date.now()) }) })
  }

  #receive(data: ArrayBuffer): string | undefined {
    this.#heardAt = performance.now()
    const { message } = readMessage(data)
    if (message.case === 'availability' && message.value.job) void this.#offered(message.value.job)
    if (message.case === 'assignment') this.#assigned(message.value)
    if (message.case === 'termination') this.#running.get(message.value.jobId)?.abort()
    return message.case
  }

  get #isFull(): boolean {
    const held = [...this.#accepted.values()].filter(({ isOverflow }) => !isOverflow)
    return this.#options.free() <= held.length
  }

  async #overflows(room: string, metadata: string): Promise<boolean> {
    return (await this.#options.overflow?.({ room, metadata }).catch(() => false)) ?? false
  }

  async #offered({ id, room, metadata }: Job): Promise<void> {
    const isOverflow = this.#isFull
    const isWanted = !this.#isDraining && (!isOverflow || (await this.#overflows(room?.name ?? '', metadata)))
    const available = isWanted && !this.#isDraining // it may have begun while others were asked
    if (available) {
      clearTimeout(this.#accepted.get(id)?.late)
      const late = setTimeout(() => this.#accepted.delete(id), assignedWithinMs)
      this.#accepted.set(id, { late, isOverflow })
    }
    // One identity in one room would put the other one out.
    const participantIdentity = `agent-${id}`
    const answer = { jobId: id, available, participantIdentity, participantName: room?.name ?? '' }
    this.#send({ case: 'availability', value: new AvailabilityResponse(answer) })
    if (available) this.#tellLoad()
  }

  #assigned({ job, url, token }: JobAssignment): void {
    const accepted = this.#accepted.get(job?.id ?? '')
    if (!job || !accepted) return // it came too late, and its place may be taken
    clearTimeout(accepted.late)
    this.#accepted.delete(job.id)
    const { id, room, metadata } = job
    const over = new AbortController()
    this.#running.set(id, over)
    this.#tellJob(id, JobStatus.JS_RUNNING)
    this.#options.onJob({
      id,
      room: room?.name ?? '',
      url: url || this.#options.address.url,
      token,
      metadata,
      isOverflow: accepted.isOverflow,
      signal: over.signal,
      done: (error) => {
        if (!this.#running.delete(id)) return
        this.#tellJob(id, error === undefined ? JobStatus.JS_SUCCESS : JobStatus.JS_FAILED, error)
        this.#tellLoad()
      },
    })
  }

  #tellJob(jobId: string, status: JobStatus, error = ''): void {
    this.#send({ case: 'updateJob', value: new UpdateJobStatus({ jobId, status, error }) })
  }

  #tellLoad(): void {
    // If it reported itself full, it would not even be asked about callers that no other worker has a place for.
    const isOut = this.#isDraining || (this.#isFull && !this.#options.overflow)
    const status = isOut ? WorkerStatus.WS_FULL : WorkerStatus.WS_AVAILABLE
    const load = Math.min(1, this.#options.load()) * mostLoad
    const value = new UpdateWorkerStatus({ status, load, jobCount: this.#running.size })
    this.#send({ case: 'updateWorker', value })
  }

  #send(message: WorkerMessage['message']): void {
    if (this.#socket?.readyState !== WebSocket.OPEN) return // it is sent again once the server is reached
    this.#socket.send(new WorkerMessage({ message }).toBinary())
  }

  #lost(socket: WebSocket): void {
    if (this.#socket !== socket) return // another one is asked already
    this.#socket = undefined
    clearInterval(this.#load)
    if (this.#isStopped) return
    this.#options.log?.('the media server was lost: calls in progress go on, and it is asked again')
    this.#retryLater()
  }

  #retryLater(): void {
    const waitMs = this.#retryMs * (0.5 + Math.random() / 2) // not every worker at once
    this.#retryMs = Math.min(2 * this.#retryMs, longestRetryMs)
    this.#retry = setTimeout(() => {
      this.#connect().catch(() => {
        if (!this.#isStopped) this.#retryLater()
      })
    }, waitMs)
  }
}

function readMessage(data: ArrayBuffer): ServerMessage {
  try {
    return ServerMessage.fromBinary(new Uint8Array(data))
  } catch {
    return new ServerMessage() // of a newer server: nothing that we asked for
  }
}
