import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import { ask } from './client.ts'
import { useGet } from './queries.ts'
import { useSession } from './session.ts'

interface Page {
  next: string | null
}

export interface PagesOptions<Answer extends Page, Item> {
  itemsOf: (page: Answer) => readonly Item[]
  keyOf: (item: Item) => string
  /** The first page is asked again while the screen is looked at. */
  everyMs?: number
}

export interface Pages<Item> {
  items: readonly Item[]
  isLoading: boolean
  isReadingMore: boolean
  hasMore: boolean
  error: Error | null
  readMore: () => void
}

/** A list that comes page by page. Its first page is kept fresh; what was read further down stays as it was. */
export function usePages<Answer extends Page, Item>(
  path: string,
  { itemsOf, keyOf, everyMs }: PagesOptions<Answer, Item>,
): Pages<Item> {
  const { key, env } = useSession()
  const queries = useQueryClient()
  const first = useGet<Answer>(path, everyMs === undefined ? {} : { everyMs })
  const older = useInfiniteQuery({
    queryKey: [key, env, path, 'pages'],
    queryFn: ({ pageParam, signal }) => {
      if (pageParam !== null) return ask<Answer>('get', pageAfter(path, pageParam), undefined, { signal })
      // The first page is asked for once, although both want it.
      return queries.fetchQuery({ queryKey: [key, env, path], queryFn: () => ask<Answer>('get', path) })
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
    staleTime: Infinity,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
  const items = useMemo(() => {
    const newest = first.data ? itemsOf(first.data) : []
    const known = new Set(newest.map(keyOf))
    const rest = older.data?.pages.flatMap(itemsOf) ?? []
    return [...newest, ...rest.filter((item) => !known.has(keyOf(item)))]
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- both functions are the same at every render
  }, [first.data, older.data])
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = older
  const readMore = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, fetchNextPage])
  return {
    items,
    isLoading: older.isPending,
    isReadingMore: isFetchingNextPage,
    hasMore: hasNextPage,
    error: older.error ?? first.error,
    readMore,
  }
}

const pageAfter = (path: string, after: string) =>
  `${path}${path.includes('?') ? '&' : '?'}after=${encodeURIComponent(after)}`
