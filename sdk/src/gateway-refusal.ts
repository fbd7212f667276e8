import { SwitchroomError } from './errors.ts'

/** A request that the gateway, or a proxy in front of it, answered with an HTTP status other than 2xx. */
export class GatewayRefusal extends SwitchroomError {
  readonly status: number

  /** Without a `code` of the gateway's own, it is made of the status. */
  constructor(status: number, sentence: string, code = status === 401 ? 'UNAUTHORIZED' : `HTTP_${status}`) {
    super(code, sentence)
    this.status = status
  }

  /** Whether the same request may succeed later: the gateway starts, is busy or at a limit. */
  get isTemporary(): boolean {
    return this.status >= 500 || this.status === 429 || this.status === 408
  }
}

/** The `detail` and the `code` of the gateway's answer; a proxy's answer has neither. */
export function refusalIn(status: number, body: string): GatewayRefusal {
  try {
    const { detail, code } = JSON.parse(body) as { detail?: unknown; code?: unknown }
    if (typeof detail === 'string')
      return new GatewayRefusal(status, detail, typeof code === 'string' ? code : undefined)
  } catch {
    // not the gateway's own answer
  }
  return new GatewayRefusal(status, `the gateway answered ${status} without a reason: check its address`)
}
