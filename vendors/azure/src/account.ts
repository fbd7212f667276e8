import { refused } from '@switchroom/kit/failures'
import type { Setting } from '@switchroom/kit/vendor'

/** A key is of one region, and each service of a region has a host of its own. */
const services = { live: 'stt.speech', recorded: 'api.cognitive', voice: 'tts.speech' }

/** Where a setting's requests go and whose they are, apart from what they ask. */
export function accountOf({ keywords, credentials }: Setting, service: keyof typeof services) {
  const { base_url: base, ...asked } = keywords
  return {
    base: base ?? `https://${hostOf(String(credentials['region']).toLowerCase(), service)}`,
    headers: { 'ocp-apim-subscription-key': String(credentials['api_key']), 'user-agent': 'switchroom' },
    asked,
  }
}

function hostOf(region: string, service: keyof typeof services): string {
  if (!/^[a-z0-9]+$/.test(region))
    throw refused('the region is no short name of a region: use the one of the key, such as westeurope')
  return `${region}.${services[service]}.${cloudOf(region)}`
}

/** Some governments have clouds of their own. */
function cloudOf(region: string): string {
  if (region.startsWith('china')) return 'azure.cn'
  return region.startsWith('usgov') ? 'azure.us' : 'microsoft.com'
}
