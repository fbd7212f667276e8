import type { OpenedFromPage } from '@switchroom/contract/publishable-keys'
import { ask, gatewayUrl } from './gateway.ts'

export interface PageKey {
  /** A publishable key, for pages of its origins. */
  key: string
  /** What the agent reads as `call.metadata.page`; a visitor can change it. */
  page?: Record<string, unknown>
}

export function openFromPage(
  url: string,
  { key, page }: PageKey,
  channel: 'voice' | 'chat',
): Promise<OpenedFromPage> {
  return ask(`${gatewayUrl(url)}/v1/page/tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ channel, ...(page && { page }) }),
  })
}
