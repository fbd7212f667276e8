import { useCallback, useEffect, useRef, useState } from 'react'
import { open, path } from '../../api/client.ts'

export interface Sound {
  address: string
  blob: Blob
}

/** The sound is loaded once, when it is first wanted; leaving the page frees it. */
export function useSound(call: string) {
  const [sound, setSound] = useState<Sound | null>(null)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<Error | null>(null)
  const asked = useRef<AbortController | null>(null)
  const loading = useRef<Promise<Sound | null> | null>(null)
  useEffect(() => () => asked.current?.abort(), [])
  useEffect(() => {
    if (sound) return () => URL.revokeObjectURL(sound.address)
  }, [sound])
  const load = useCallback((): Promise<Sound | null> => {
    if (loading.current) return loading.current
    const { signal } = (asked.current = new AbortController())
    setBusy(true)
    setError(null)
    loading.current = soundOf(call, signal)
      .then((loaded) => {
        setSound(loaded)
        return loaded
      })
      .catch((refused: unknown) => {
        loading.current = null
        if (!signal.aborted) setError(errorOf(refused))
        return null
      })
      .finally(() => setBusy(false))
    return loading.current
  }, [call])
  return { sound, load, busy, error }
}

async function soundOf(call: string, signal: AbortSignal): Promise<Sound> {
  const answer = await open('get', path`/v1/calls/${call}/recording`, undefined, { signal })
  const blob = await answer.blob()
  return { address: URL.createObjectURL(blob), blob }
}

export const errorOf = (thrown: unknown) => (thrown instanceof Error ? thrown : new Error(String(thrown)))
