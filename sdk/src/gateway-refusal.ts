import { SwitchroomError } from './errors.ts'

/** A request that the gateway, or a proxy in front of it, answered with an HTTP status other than 2xx. */
export class GatewayRefusal extends SwitchroomError {
  readonly status: number

  constructor(status: number, sentence: string) {
    super(status === 401 ? 'UNAUTHORIZED' : `HTTP_${status}`, sentence)
    this.status = status
  }

  /** Whether the same request may succeed later: the gateway starts, is busy or at a limit. */
  get isTemporary(): boolean {
    return this.status >= 500 || this.status === 429 || this.status === 408
  }
}

/** The `detail` of the gateway's answer; a proxy's answer has none. */
export function refusalIn(status: number, body: string): GatewayRefusal {
  try {
    const { detail } = JSON.parse(body) as { detail?: unknown }
    if (typeof detail === 'string') return new GatewayRefusal(status, detail)
  } catch {
    // not the gateway's own answer
  }
  return new GatewayRefusal(status, `the gateway answered ${status} without a reason: check its address`)
}
