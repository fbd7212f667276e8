import { largestDocumentBytes } from '@switchroom/contract/knowledge-names'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { path } from '../api/client.ts'
import { upload } from '../api/upload.ts'
import { bytesOf } from '../ui/quantities.ts'

export interface Upload {
  id: number
  name: string
  /** From 0 to 1. */
  sent: number
  state: 'waiting' | 'sending' | 'done' | 'failed'
  why: string | null
}

/** As many at once as a browser sends beside other requests. */
const atOnce = 3

export interface Uploads {
  uploads: readonly Upload[]
  add: (files: Iterable<File>) => void
  /** Forgets those that are over. */
  clear: () => void
}

/** Uploads files to a base, a few at a time; leaving the page stops them. */
export function useUploads(base: string): Uploads {
  const queries = useQueryClient()
  const [uploads, setUploads] = useState<readonly Upload[]>([])
  const waiting = useRef<{ id: number; file: File }[]>([])
  const running = useRef(0)
  const count = useRef(0)
  const [gone] = useState(() => new AbortController())
  useEffect(() => () => gone.abort(), [gone])
  const change = useCallback(
    (id: number, changed: Partial<Upload>) =>
      setUploads((before) => before.map((each) => (each.id === id ? { ...each, ...changed } : each))),
    [],
  )
  const run = useCallback(async () => {
    if (running.current >= atOnce) return
    running.current += 1
    for (let next = waiting.current.shift(); next && !gone.signal.aborted; next = waiting.current.shift()) {
      const { id, file } = next
      change(id, { state: 'sending' })
      try {
        if (file.size > largestDocumentBytes)
          throw new Error(
            `A document has ${bytesOf(largestDocumentBytes)} at most, and this one has ${bytesOf(file.size)}.`,
          )
        await upload(path`/v1/bases/${base}/documents`, file, {
          method: 'POST',
          signal: gone.signal,
          onProgress: (sent) => change(id, { sent }),
        })
        change(id, { state: 'done', sent: 1 })
        void queries.invalidateQueries()
      } catch (error) {
        change(id, { state: 'failed', why: error instanceof Error ? error.message : String(error) })
      }
    }
    running.current -= 1
  }, [base, change, gone, queries])
  const add = (files: Iterable<File>) => {
    const added = Array.from(files, (file) => ({ id: (count.current += 1), file }))
    waiting.current.push(...added)
    setUploads((before) => [
      ...before,
      ...added.map(({ id, file }) => ({
        id,
        name: file.name,
        sent: 0,
        state: 'waiting' as const,
        why: null,
      })),
    ])
    for (let n = 0; n < atOnce; n += 1) void run()
  }
  const clear = () =>
    setUploads((before) => before.filter(({ state }) => state === 'waiting' || state === 'sending'))
  return { uploads, add, clear }
}
