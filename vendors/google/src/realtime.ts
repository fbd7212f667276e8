import { socketAddressOf } from '@switchroom/kit/addresses'
import { refused } from '@switchroom/kit/failures'
import { openSocket } from '@switchroom/kit/sockets'
import type { RealtimeModel, Setting } from '@switchroom/kit/vendor'
import { LiveConversation } from './realtime-conversation.ts'
import { inputRate, outputRate } from './realtime-messages.ts'

const path = '/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent'

export function realtime({ keywords, credentials }: Setting): RealtimeModel {
  const { base_url: base = 'https://generativelanguage.googleapis.com' } = keywords
  const headers = { 'x-goog-api-key': String(credentials['api_key']) }
  const model = String(keywords['model']).replace(/^models\//, '')
  refuseOthers(model)
  const setup = setupOf(model, keywords)
  const connect = (signal: AbortSignal) => openSocket(socketAddressOf(base, path), headers, signal)
  return {
    sampleRate: outputRate,
    inputRate,
    converse: (asked, signal) => new LiveConversation({ connect, setup }, signal).told(asked),
  }
}

/** An agent's instructions and tools change during a call, and its tools are waited for. */
function refuseOthers(model: string) {
  if (model.includes('extended-thinking'))
    throw refused(`${model} does not wait for its tools: choose gemini-3.8-live`)
  if (!/^gemini-(?:live|2|3\.[0-7])/.test(model)) return
  throw refused(`${model} takes no other instructions during a call: choose gemini-3.8-live`)
}

function setupOf(model: string, keywords: Setting['keywords']): object {
  const { voice, language, custom_vocabulary, temperature, max_output_tokens } = keywords
  return {
    model: `models/${model}`,
    generationConfig: {
      responseModalities: ['AUDIO'],
      ...(temperature !== undefined && { temperature }),
      ...(max_output_tokens !== undefined && { maxOutputTokens: max_output_tokens }),
      ...(voice !== undefined && {
        speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: voice } } },
      }),
    },
    // the session says when the party speaks, and when a reply is wanted
    realtimeInputConfig: {
      automaticActivityDetection: { disabled: true },
      activityHandling: 'START_OF_ACTIVITY_INTERRUPTS',
      turnCoverage: 'TURN_INCLUDES_ONLY_ACTIVITY',
    },
    inputAudioTranscription: {
      ...(typeof language === 'string' && { languageCodes: [language] }),
      ...(isFilled(custom_vocabulary) && { customVocabulary: custom_vocabulary }),
    },
    outputAudioTranscription: {},
    // without it a session ends after fifteen minutes
    contextWindowCompression: { slidingWindow: {} },
  }
}

const isFilled = (value: unknown) => Array.isArray(value) && value.length > 0
