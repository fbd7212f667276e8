import { deferred, type Deferred } from './deferred.ts'
import type { SwitchroomError } from './errors.ts'

export type RegistrationState = 'pending' | 'ready' | 'refused'

/** The state of a registration at the gateway: pending again whenever the connection is lost. */
export class Registration {
  #state: RegistrationState = 'pending'
  #settled = waiting()

  get state(): RegistrationState {
    return this.#state
  }

  get ready(): Promise<void> {
    return this.#settled.promise
  }

  await(): void {
    if (this.#state === 'pending') return
    this.#state = 'pending'
    this.#settled = waiting()
  }

  accept(): void {
    this.await()
    this.#state = 'ready'
    this.#settled.resolve()
  }

  refuse(error: SwitchroomError): void {
    this.await()
    this.#state = 'refused'
    this.#settled.reject(error)
  }
}

function waiting(): Deferred<void> {
  const settled = deferred<void>()
  settled.promise.catch(() => {}) // a rejection that is not awaited is not an error
  return settled
}
