import { keywordsAmong } from '@switchroom/kit/keywords'
import type { Setting } from '@switchroom/kit/vendor'

const recordedModel = 'scribe_v2'
/** Those of the live class that the endpoint for recordings knows, too. */
const shared = ['language_code', 'keyterms', 'no_verbatim', 'enable_logging', 'base_url']

/** A model that only listens live leaves recordings to its sibling. */
export function recordedSetting(live: Setting): Setting {
  return {
    ...live,
    class: 'STT',
    keywords: { ...keywordsAmong(live.keywords, shared), model_id: recordedModel },
  }
}
