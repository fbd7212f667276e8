import type { Setting } from '@switchroom/kit/vendor'

/** Where a setting's requests go and whose they are, apart from what they ask. */
export function accountOf({ keywords, credentials }: Setting) {
  const { base_url: base = 'https://api.elevenlabs.io', ...asked } = keywords
  return { base, headers: { 'xi-api-key': String(credentials['api_key']) }, asked }
}
