export const samplesPerMs = 24
export const wordMs = 200
/** Louder than this is speech. */
const loud = 500

/** What every reply costs. */
export const usage = {
  total_tokens: 130,
  input_tokens: 90,
  output_tokens: 40,
  input_token_details: { text_tokens: 30, audio_tokens: 60, cached_tokens: 0 },
  output_token_details: { text_tokens: 10, audio_tokens: 30 },
}

export const contentOf: Record<string, string> = {
  user: 'input_text',
  system: 'input_text',
  assistant: 'output_text',
}

export const sessionFields = new Set(
  'type audio include instructions max_output_tokens model output_modalities tool_choice tools tracing truncation'.split(
    ' ',
  ),
)
export const responseFields = new Set(
  'audio conversation input instructions max_output_tokens metadata output_modalities tool_choice tools'.split(
    ' ',
  ),
)

export const wordsIn = (text: string) => text.match(/\S+\s*/gu) ?? []

/** One word's worth of a steady tone. */
export const soundOfWord = Buffer.from(
  Int16Array.from({ length: wordMs * samplesPerMs }, (_, at) => Math.round(8_000 * Math.sin(at / 8))).buffer,
).toString('base64')

export function isLoudIn(pcm: Buffer): boolean {
  for (let at = 0; at + 1 < pcm.length; at += 8) if (Math.abs(pcm.readInt16LE(at)) > loud) return true
  return false
}
