import type { Environment } from '@switchroom/contract/scopes'
import { LiveKitOnDemand } from '@switchroom/media/livekit/on-demand'
import type { MediaPlane } from '@switchroom/media/plane'
import type { MediaServer, TelephonySettings } from '../../foundation/telephony-settings.ts'

/** Where the calls of each environment come from and go to. */
export class Planes {
  /** Whether the sandbox has one of its own, so that a number may be on either. */
  readonly areSeparate: boolean
  readonly #embedded: MediaPlane
  readonly #planes: Record<Environment, MediaPlane>
  /** What takes the calls that production's media server hands to the sandbox. */
  readonly #handedTo: LiveKitOnDemand | undefined

  constructor(settings: TelephonySettings, embedded: MediaPlane) {
    const { mediaServer, sandboxMediaServer } = settings
    this.#embedded = embedded
    const production = mediaServer ? new LiveKitOnDemand(mediaServer) : embedded
    const isOwn = sandboxMediaServer !== undefined && !isSameServer(sandboxMediaServer, mediaServer)
    this.#handedTo = isOwn ? new LiveKitOnDemand(sandboxMediaServer) : undefined
    this.#planes = { production, sandbox: this.#handedTo ?? production }
    this.areSeparate = isOwn
  }

  of(env: Environment): MediaPlane {
    return this.#planes[env]
  }

  /** Whether workers carry its calls themselves, and no media server does. */
  isEmbedded(env: Environment): boolean {
    return this.#planes[env] === this.#embedded
  }

  /** Admits on the sandbox's own media server what production's sends on to it. */
  async handOver(from: { address: string; fleet: string }): Promise<void> {
    await this.#handedTo?.handOver(from)
  }
}

const isSameServer = (one: MediaServer, other: MediaServer | undefined) => one.url === other?.url
