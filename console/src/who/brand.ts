import type { Discovery } from '@switchroom/contract/discovery'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { api } from '../api/client.ts'
import { accentInks } from './accent.ts'

export const discoveryKey = ['discovery'] as const

/** The discovery document, which needs no key. */
export function useDiscovery(): Discovery | undefined {
  return useQuery({
    queryKey: discoveryKey,
    queryFn: () => api.get<Discovery>('/.well-known/svc', { key: null }),
    staleTime: 60_000,
  }).data
}

/** The accent of the brand, with a text colour that is readable on it and a shade that is readable as text. */
export function useBrandColours(accent: string | undefined): void {
  useEffect(() => {
    if (accent === undefined) return
    const { style } = document.documentElement
    const { onAccent, offAccent, onLight, onDark } = accentInks(accent)
    style.setProperty('--accent', accent)
    style.setProperty('--accent-text', onAccent)
    style.setProperty('--accent-away', offAccent)
    style.setProperty('--accent-ink', `light-dark(${onLight}, ${onDark})`)
  }, [accent])
}
