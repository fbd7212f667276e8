export const livePath = '/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent'
export const wordMs = 200
const outputPerMs = 24
/** Louder than this is speech. */
const loud = 500

/** What every turn uses. */
export const usageMetadata = {
  promptTokenCount: 80,
  toolUsePromptTokenCount: 10,
  responseTokenCount: 35,
  thoughtsTokenCount: 5,
  totalTokenCount: 130,
  promptTokensDetails: [
    { modality: 'TEXT', tokenCount: 20 },
    { modality: 'AUDIO', tokenCount: 60 },
  ],
  responseTokensDetails: [{ modality: 'AUDIO', tokenCount: 30 }],
}

/** The fields that the wire knows, by message. */
export const fields: Record<string, ReadonlySet<string>> = {
  setup: fieldsIn(
    'model generationConfig systemInstruction tools realtimeInputConfig sessionResumption contextWindowCompression inputAudioTranscription outputAudioTranscription proactivity historyConfig safetySettings labels',
  ),
  clientContent: fieldsIn('turns turnComplete'),
  realtimeInput: fieldsIn('audio audioStreamEnd video text activityStart activityEnd mediaChunks'),
  toolResponse: fieldsIn('functionResponses'),
  contextUpdate: fieldsIn('systemInstruction tools'),
}

function fieldsIn(names: string): ReadonlySet<string> {
  return new Set(names.split(' '))
}

export const wordsIn = (text: string) => text.match(/\S+\s*/gu) ?? []

/** One word's worth of a steady tone. */
export const soundOfWord = Buffer.from(
  Int16Array.from({ length: wordMs * outputPerMs }, (_, at) => Math.round(8_000 * Math.sin(at / 8))).buffer,
).toString('base64')

export function isLoudIn(pcm: Buffer): boolean {
  for (let at = 0; at + 1 < pcm.length; at += 8) if (Math.abs(pcm.readInt16LE(at)) > loud) return true
  return false
}
