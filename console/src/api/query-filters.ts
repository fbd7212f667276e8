import { useCallback } from 'react'
import { useLocation, useSearch } from 'wouter'

/** What the list is narrowed to, kept in the address, so that it can be linked to and Back brings it back. */
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
      go(next.size > 0 ? `${pathname}?${next.toString()}` : pathname, { replace: true })
    },
    [search, go],
  )
  const filters = Object.fromEntries(names.map((name) => [name, query.get(name) ?? '']))
  return [filters as Record<Name, string>, set]
}

/** A path with those of the values that are said. */
export function asked(path: string, values: Record<string, string>): string {
  const said = Object.entries(values).filter(([, value]) => value !== '')
  return said.length > 0 ? `${path}?${new URLSearchParams(said).toString()}` : path
}
