import { silent } from '@switchroom/kit/failures'
import type { Frame } from '@switchroom/kit/sockets'
import type { Message, RealtimeUsage, Tool } from '@switchroom/kit/vendor'

/** The only rates at which it takes and gives samples. */
export const inputRate = 16_000
export const outputRate = 24_000

export interface Content {
  role: 'user' | 'model'
  parts: { text: string }[]
}

export interface FunctionResponse {
  id: string
  name: string
  response: { output: string }
}

/** One message of ours; it has exactly one of these fields. */
export interface ClientMessage {
  clientContent?: { turns?: Content[]; turnComplete: boolean }
  realtimeInput?: { audio?: { data: string; mimeType: string }; activityStart?: object; activityEnd?: object }
  toolResponse?: { functionResponses: FunctionResponse[] }
  contextUpdate?: { systemInstruction?: object; tools?: { tools: object[] } }
}

interface Words {
  text?: string
  finished?: boolean
}

/** One message of the vendor's, which may have several of these fields. */
export interface ServerMessage {
  setupComplete?: object
  serverContent?: {
    modelTurn?: { parts?: { inlineData?: { data?: string } }[] }
    inputTranscription?: Words
    interimInputTranscription?: Words
    outputTranscription?: Words
    interrupted?: boolean
    generationComplete?: boolean
    turnComplete?: boolean
    turnCompleteReason?: string
  }
  toolCall?: { functionCalls?: { id?: string; name?: string; args?: object }[] }
  toolCallCancellation?: { ids?: string[] }
  usageMetadata?: UsageMetadata
  goAway?: { timeLeft?: string }
  sessionResumptionUpdate?: { newHandle?: string; resumable?: boolean }
}

interface ModalityCount {
  modality?: string
  tokenCount?: number
}

interface UsageMetadata {
  promptTokenCount?: number
  toolUsePromptTokenCount?: number
  responseTokenCount?: number
  thoughtsTokenCount?: number
  promptTokensDetails?: ModalityCount[]
  responseTokensDetails?: ModalityCount[]
}

/** Its JSON comes in binary frames. */
export function messageIn(frame: Frame): ServerMessage {
  try {
    const message: unknown = JSON.parse(String(frame))
    if (typeof message === 'object' && message !== null) return message
  } catch {
    // said below
  }
  throw silent('it sent an unreadable message')
}

/** Of a turn that ended without an answer; a model that waits for more has refused nothing. */
export function refusalIn({
  turnCompleteReason: reason,
}: NonNullable<ServerMessage['serverContent']>): string | null {
  const isUsual = !reason || reason === 'TURN_COMPLETE_REASON_UNSPECIFIED' || reason === 'NEED_MORE_INPUT'
  return isUsual ? null : `it kept its answer back: ${reason}`
}

/** Thinking is output too. */
export function usageOf(usage: UsageMetadata): RealtimeUsage {
  return {
    inputTokens: (usage.promptTokenCount ?? 0) + (usage.toolUsePromptTokenCount ?? 0),
    outputTokens: (usage.responseTokenCount ?? 0) + (usage.thoughtsTokenCount ?? 0),
    inputAudioTokens: audioIn(usage.promptTokensDetails),
    outputAudioTokens: audioIn(usage.responseTokensDetails),
  }
}

const audioIn = (counts: readonly ModalityCount[] = []) =>
  counts.reduce((sum, { modality, tokenCount = 0 }) => sum + (modality === 'AUDIO' ? tokenCount : 0), 0)

export const userText = (text: string): Content => ({ role: 'user', parts: [{ text }] })
const modelText = (text: string): Content => ({ role: 'model', parts: [{ text }] })

export const said = (heard: string, answer: string): Content[] => [
  ...(heard === '' ? [] : [userText(heard)]),
  ...(answer === '' ? [] : [modelText(answer)]),
]

/** The wire has no place for tools in what was said before. */
export const outcomeOf = (name: string, text: string): Content => userText(`What came of ${name}: ${text}`)

export function contentsOf(message: Message): Content[] {
  if (message.role === 'tool') return [outcomeOf(message.name, message.text)]
  return message.role === 'assistant' ? said('', message.text) : said(message.text, '')
}

export const contentMessage = (turns: Content[], turnComplete: boolean): ClientMessage => ({
  clientContent: { ...(turns.length > 0 && { turns }), turnComplete },
})

export const audioMessage = (pcm: Uint8Array): ClientMessage => ({
  realtimeInput: {
    audio: { data: Buffer.from(pcm).toString('base64'), mimeType: `audio/pcm;rate=${inputRate}` },
  },
})

export const instructionsOf = (text: string) => ({ parts: [{ text }] })

/** A tool is waited for: the session asks for the rest of the answer itself. */
export const declarationsOf = (tools: readonly Tool[]): object[] =>
  tools.length === 0
    ? []
    : [
        {
          functionDeclarations: tools.map(({ name, description, parameters }) => ({
            name,
            description,
            parametersJsonSchema: parameters,
            behavior: 'BLOCKING',
          })),
        },
      ]
