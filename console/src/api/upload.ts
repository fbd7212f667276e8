import { Refused } from './client.ts'
import { currentSession } from './session.ts'

export interface UploadOptions {
  method: 'POST' | 'PUT'
  signal: AbortSignal
  /** From 0 to 1. */
  onProgress: (sent: number) => void
}

/** A file as a form, with its progress, which `fetch` does not tell. */
export function upload(
  address: string,
  file: File,
  { method, signal, onProgress }: UploadOptions,
): Promise<void> {
  const { key, env } = currentSession()
  const request = new XMLHttpRequest()
  const form = new FormData()
  form.append('file', file, file.name)
  return new Promise((resolve, reject) => {
    request.open(method, address)
    if (key !== null) request.setRequestHeader('authorization', `Bearer ${key}`)
    if (key !== null) request.setRequestHeader('svc-env', env)
    request.upload.addEventListener('progress', ({ loaded, total, lengthComputable }) => {
      if (lengthComputable) onProgress(loaded / total)
    })
    request.addEventListener('load', () => {
      if (request.status >= 200 && request.status < 300) resolve()
      else reject(new Refused(request.status, sentenceIn(request)))
    })
    request.addEventListener('error', () =>
      reject(new Refused(0, 'The gateway cannot be reached. Check your connection and try again.')),
    )
    request.addEventListener('abort', () => reject(new DOMException('The upload was stopped.', 'AbortError')))
    signal.addEventListener('abort', () => request.abort(), { once: true })
    request.send(form)
  })
}

function sentenceIn({ responseText, status }: XMLHttpRequest): string {
  try {
    const { detail }: { detail?: unknown } = JSON.parse(responseText)
    if (typeof detail === 'string') return detail
  } catch {
    // a proxy answered
  }
  return `The gateway answered ${status}. Try again in a moment.`
}
