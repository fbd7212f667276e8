/** What a vendor can do for a call. */
export const stages = ['llm', 'stt', 'tts'] as const
export type Stage = (typeof stages)[number]
