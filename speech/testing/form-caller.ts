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
  body: string | Uint8Array<ArrayBuffer> | FormData | Record<string, Part>,
  init: { headers?: Record<string, string>; key?: string; signal?: AbortSignal } = {},
): Promise<VoiceAnswer> {
  const { key = 'any', headers = {}, signal = null } = init
  const isForm = typeof body === 'string' || body instanceof Uint8Array || body instanceof FormData
  const response = await fetch(`${url}/v1/audio/transcriptions`, {
    method: 'POST',
    body: isForm ? body : formOf(body),
    headers: { authorization: `Bearer ${key}`, ...headers },
    signal,
  })
  return wholeOf(response)
}
