import { openAiShapedModel } from '@switchroom/kit/openai-shaped'
import { responsesModel } from '@switchroom/kit/responses-shaped'
import type { Adapter } from '@switchroom/kit/vendor'
import { endpointIn, reachOf } from './endpoint.ts'

export default {
  /** The name of the setting is the org's for the endpoint, which knows its model by another. */
  model(setting) {
    const endpoint = endpointIn(setting.credentials)
    const { base_url: baseUrl, model, wire } = endpoint
    const named = { ...setting, keywords: { ...setting.keywords, model } }
    const shape = { baseUrl, reach: reachOf(endpoint, setting.credentials) }
    return wire === 'responses' ? responsesModel(named, shape) : openAiShapedModel(named, shape)
  },
} satisfies Adapter
