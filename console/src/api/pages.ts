import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo } from 'react'
import { ask } from './client.ts'
import { useGet } from './queries.ts'
import { useSession } from './session.ts'

interface Page {
  next: string | null
}

export interface PagesOptions<Answer extends Page, Item> {
  itemsOf: (page: Answer) => readonly Item[]
  keyOf: (item: Item) => string
  /** Polls the first page while the screen is open. */
  everyMs?: number
  /** Oldest first: new items are on the last page, so every page is polled. */
  growsAtEnd?: boolean
}

export interface Pages<Item> {
  items: readonly Item[]
  isLoading: boolean
  isReadingMore: boolean
  hasMore: boolean
  error: Error | null
  readMore: () => void
}

/** A paged list. With the newest page first, older pages are not loaded again. */
export function usePages<Answer extends Page, Item>(
  path: string,
  { itemsOf, keyOf, everyMs, growsAtEnd = false }: PagesOptions<Answer, Item>,
): Pages<Item> {
  const { key, env } = useSession()
  const queries = useQueryClient()
  const first = useGet<Answer>(path, everyMs === undefined ? {} : { everyMs })
  const older = useInfiniteQuery({
    queryKey: [key, env, path, 'pages'],
    queryFn: ({ pageParam, signal }) => {
      if (pageParam !== null) return ask<Answer>('get', pageAfter(path, pageParam), undefined, { signal })
      // Shares the request of the first page.
      return queries.fetchQuery({ queryKey: [key, env, path], queryFn: () => ask<Answer>('get', path) })
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
    staleTime: Infinity,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    ...(growsAtEnd && everyMs !== undefined && { refetchInterval: everyMs }),
  })
  const { items, isTorn } = useMemo(() => {
    const newest = first.data ? itemsOf(first.data) : []
    const known = new Set(newest.map(keyOf))
    const read = older.data?.pages.flatMap(itemsOf) ?? []
    const rest = read.filter((item) => !known.has(keyOf(item)))
    // More arrived than one page holds: the items between the newest page and the older ones are missing.
    const hasGap = first.data?.next != null && read.length > 0 && rest.length === read.length
    return { items: [...newest, ...rest], isTorn: hasGap }
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- both functions are the same at every render
  }, [first.data, older.data])
  const { hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = older
  useEffect(() => {
    if (isTorn) void refetch()
  }, [isTorn, refetch])
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
