import type { Setting } from '@switchroom/kit/vendor'

/** The day of the wire that is spoken here. */
const version = '2026-08-14'

/** Where a setting's requests go and whose they are, apart from what they ask. */
export function accountOf({ keywords, credentials }: Setting) {
  const { base_url: base = 'https://api.cartesia.ai', ...asked } = keywords
  const headers = { authorization: `Bearer ${credentials['api_key']}`, 'cartesia-version': version }
  return { base, headers, asked }
}
