import { refused } from '@switchroom/kit/failures'
import type { Setting } from '@switchroom/kit/vendor'

/** A region has one host for streams and another for recordings. */
const hosts: Record<string, { live: string; recorded: string }> = {
  eu: { live: 'https://eu.rt.speechmatics.com', recorded: 'https://eu1.asr.api.speechmatics.com' },
  us: { live: 'https://us.rt.speechmatics.com', recorded: 'https://us1.asr.api.speechmatics.com' },
}

/** Where a setting's requests go and whose they are. */
export function accountOf({ keywords, credentials }: Setting) {
  const { base_url: base, region = 'eu' } = keywords
  const host = hosts[String(region)]
  if (!host) throw refused(`speechmatics has no region "${String(region)}": use eu or us`)
  return {
    live: base ?? host.live,
    recorded: base ?? host.recorded,
    headers: { authorization: `Bearer ${credentials['api_key']}` },
  }
}
