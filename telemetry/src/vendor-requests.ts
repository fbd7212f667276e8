import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { ClientRequest } from 'node:http'

/** Of `fetch`, and of the package undici. */
const fetched = 'undici:request:create'
/** Of node:http and node:https, which sockets are opened with too. */
const opened = 'http.client.request.created'

/** Vendors' own packages make most requests, so the header is added where Node sends them. */
export function tellVendors(traceparent: () => string | undefined): () => void {
  const onFetched = (message: unknown) => {
    const { request } = message as { request: { addHeader(name: string, value: string): void } }
    const header = traceparent()
    if (header !== undefined) request.addHeader('traceparent', header)
  }
  const onOpened = (message: unknown) => {
    const { request } = message as { request: ClientRequest }
    const header = traceparent()
    if (header !== undefined && !request.headersSent) request.setHeader('traceparent', header)
  }
  subscribe(fetched, onFetched)
  subscribe(opened, onOpened)
  return () => {
    unsubscribe(fetched, onFetched)
    unsubscribe(opened, onOpened)
  }
}
