import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useLostConnection } from '../api/reachability.ts'
import { Time } from '../ui/time.tsx'

/** Shown while the gateway cannot be reached; when it is back, what is on the page is loaded again. */
export function OutageBanner() {
  const lostAt = useLostConnection()
  const queries = useQueryClient()
  const wasLost = useRef(false)
  useEffect(() => {
    if (lostAt === null && wasLost.current) void queries.invalidateQueries()
    wasLost.current = lostAt !== null
  }, [lostAt, queries])
  if (lostAt === null) return null
  return (
    <p className="outage-banner" role="alert">
      <strong>No connection to the gateway.</strong> This page shows what it knew at{' '}
      <Time epochS={lostAt.getTime() / 1000} isClock />, and updates by itself when the connection is back.
    </p>
  )
}
