import type { AppTool } from '@switchroom/contract/apps'
import { Errors, type XStatic } from 'typebox/schema'
import type { Call } from './call.ts'

/** What a model may ask this process to do. */
export interface Tool extends AppTool {
  /** Runs it with the arguments as the model wrote them. */
  perform: (args: string, call: Call) => Promise<unknown>
}

interface ToolDefinition<Parameters> {
  name: string
  /** What it is for, as the model reads it. */
  description: string
  /** A schema of TypeBox, or plain JSON Schema; left out, the tool takes nothing. */
  parameters?: Parameters
  /** How long it may take, in milliseconds: after that the model reads that it failed. Default: 30 s, as the deployment sets it. */
  timeoutMs?: number
  /** Said to the caller if it takes longer than a second, such as `One moment, please.` */
  while?: string
  /** The model reads what it returns, or as an error what it throws. */
  run: (args: XStatic<Parameters>, call: Call) => unknown
}

const nothing = { type: 'object', properties: {}, additionalProperties: false } as const

/** A tool whose arguments are typed by their schema, and checked against it before `run` sees them. */
export function tool<const Parameters extends object = typeof nothing>({
  name,
  description,
  parameters,
  run,
  timeoutMs,
  while: words,
}: ToolDefinition<Parameters>): Tool {
  const schema: object = parameters ?? nothing
  return {
    name,
    description,
    parameters: schema as Record<string, unknown>,
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(words !== undefined && { while: words }),
    async perform(text, call) {
      const args = read(text)
      const [isFit, errors] = Errors(schema, args)
      if (!isFit) throw new Error(sentenceOf(errors))
      return run(args as XStatic<Parameters>, call)
    },
  }
}

function read(text: string): unknown {
  try {
    return JSON.parse(text.trim() === '' ? '{}' : text)
  } catch {
    throw new Error('the arguments are not JSON')
  }
}

const sentenceOf = (errors: readonly { instancePath: string; message: string }[]) =>
  `the arguments do not fit: ${errors.map(({ instancePath, message }) => `${instancePath} ${message}`.trim()).join('; ')}`
