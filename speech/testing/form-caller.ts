import { wholeOf, type VoiceAnswer } from './voice-deployment.ts'

export type Part = string | { bytes: Uint8Array; name?: string; type?: string }

/** A form with these parts, in this order. */
export function formOf(parts: Record<string, Part>): FormData {
  const form = new FormData()
  for (const [name, part] of Object.entries(parts))
    if (typeof part === 'string') form.append(name, part)
    else
      form.append(name, new Blob([Buffer.from(part.bytes)], { type: part.type ?? '' }), part.name ?? 'audio')
  return form
}

export async function transcribe(
  url: string,
  body: BodyInit | Record<string, Part>,
  init: RequestInit & { headers?: Record<string, string>; key?: string } = {},
): Promise<VoiceAnswer> {
  const { key = 'any', headers = {}, ...rest } = init
  const isPlain = Object.getPrototypeOf(body) === Object.prototype
  const sent = isPlain ? formOf(body as Record<string, Part>) : (body as BodyInit)
  const response = await fetch(`${url}/v1/audio/transcriptions`, {
    method: 'POST',
    body: sent,
    ...(typeof sent !== 'string' && sent instanceof ReadableStream && { duplex: 'half' }),
    ...rest,
    headers: { authorization: `Bearer ${key}`, ...headers },
  })
  return wholeOf(response)
}
