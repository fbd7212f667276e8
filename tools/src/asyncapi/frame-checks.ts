import { Ajv } from 'ajv'
import { appFrames, chatFrames, type DocumentedFrame } from './document.ts'

const ajv = new Ajv({ allowUnionTypes: true, strict: false })
const known = {
  '/v1/apps': {
    'to gateway': validators(appFrames.fromApp),
    'to client': validators([...appFrames.toApp, ...appFrames.events]),
  },
  '/v1/chat': {
    'to gateway': validators(chatFrames.fromChat),
    'to client': validators(chatFrames.toChat),
  },
}

/** Why a frame on a socket is none that docs/asyncapi.json describes; undefined if it is one. */
export function whyUndocumented(
  path: string,
  direction: 'to gateway' | 'to client',
  frame: { type?: unknown },
): string | undefined {
  const candidates = known[path as keyof typeof known][direction].filter(({ type }) => type === frame.type)
  if (candidates.length === 0) return `no frame ${direction} on ${path} is called ${String(frame.type)}`
  if (candidates.some(({ check }) => check(frame))) return undefined
  return candidates.map(({ check }) => ajv.errorsText(check.errors)).join('; or ')
}

function validators(frames: readonly DocumentedFrame[]) {
  return frames.map(({ type, schema }) => ({ type, check: ajv.compile(schema) }))
}
