import { refused } from '@switchroom/kit/failures'
import type { Setting } from '@switchroom/kit/vendor'
import { openAiAddress } from './address.ts'
import { usualEffort } from './reasoning.ts'

/**
 * Which of two APIs is asked. OpenAI's own address has both, and the newer one is used; servers at other addresses
 * that imitate OpenAI often have only the older one, unless the option `api` names the newer.
 */
export function isNewer({ keywords }: Setting, newer: string, older: string): boolean {
  const { base_url: base = openAiAddress, api = base === openAiAddress ? newer : older } = keywords
  if (api !== newer && api !== older) throw refused(`api is ${newer} or ${older}, not ${String(api)}`)
  return api === newer
}

export function withoutApi(setting: Setting): Setting {
  const keywords = Object.entries(setting.keywords).filter(([name]) => name !== 'api')
  return { ...setting, keywords: Object.fromEntries(keywords) }
}

/** The settings of the Responses API under the names of chat completions. */
export function chatSettingOf({ keywords, ...setting }: Setting): Setting {
  const { max_output_tokens: max_completion_tokens, temperature, top_p, ...rest } = keywords
  const reasoning_effort = rest['reasoning_effort'] ?? usualEffort(String(rest['model']))
  const isReasoning = reasoning_effort !== undefined && reasoning_effort !== 'none'
  return {
    ...setting,
    keywords: {
      ...rest,
      ...(!isReasoning && { temperature, top_p }), // it would refuse them
      ...(max_completion_tokens !== undefined && { max_completion_tokens }),
      ...(reasoning_effort !== undefined && { reasoning_effort }),
    },
  }
}
