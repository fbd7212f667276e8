import { useCallback } from 'react'
import { useLocation, useSearch } from 'wouter'

/** Filters kept in the address, for links and for Back. */
export function useFilters<const Name extends string>(
  names: readonly Name[],
): [Record<Name, string>, (name: Name, value: string) => void] {
  const search = useSearch()
  const [, go] = useLocation()
  const query = new URLSearchParams(search)
  const set = useCallback(
    (name: Name, value: string) => {
      const next = new URLSearchParams(search)
      if (value === '') next.delete(name)
      else next.set(name, value)
      const { pathname } = globalThis.location
      go(`~${next.size > 0 ? `${pathname}?${next.toString()}` : pathname}`, { replace: true })
    },
    [search, go],
  )
  const filters = Object.fromEntries(names.map((name) => [name, query.get(name) ?? '']))
  return [filters as Record<Name, string>, set]
}

/** A path with the values that are not empty as its query. */
export function withQuery(path: string, values: Record<string, string>): string {
  const said = Object.entries(values).filter(([, value]) => value !== '')
  return said.length > 0 ? `${path}?${new URLSearchParams(said).toString()}` : path
}
