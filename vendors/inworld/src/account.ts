import type { Setting } from '@switchroom/kit/vendor'

/** Where a setting's requests go and whose they are, apart from what they ask. */
export function accountOf({ keywords, credentials }: Setting) {
  const { base_url: base = 'https://api.inworld.ai', ...asked } = keywords
  return { base, headers: { authorization: `Basic ${credentials['api_key']}` }, asked } // its keys are base64 already
}
