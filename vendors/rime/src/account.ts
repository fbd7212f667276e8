import { refused } from '@switchroom/kit/failures'
import type { Setting } from '@switchroom/kit/vendor'

const hosts: Record<string, string> = {
  west: 'https://users-west.rime.ai',
  east: 'https://users-east.rime.ai',
}

/** Where a setting's requests go and whose they are, apart from what they ask. */
export function accountOf({ keywords, credentials }: Setting) {
  const { base_url: base, region = 'west', ...asked } = keywords
  const host = hosts[String(region)]
  if (!host) throw refused(`rime has no region "${String(region)}": use west or east`)
  return { base: base ?? host, headers: { authorization: `Bearer ${credentials['api_key']}` }, asked }
}
