import type { UseQueryResult } from '@tanstack/react-query'
import { useEffect, useState, type ReactNode } from 'react'
import { Refused } from '../api/client.ts'
import './feedback.css'
import { Button } from './button.tsx'

export interface EmptyProps {
  title: string
  /** What to do next. */
  children?: ReactNode
}

export function Empty({ title, children }: EmptyProps) {
  return (
    <div className="empty">
      <strong>{title}</strong>
      {children}
    </div>
  )
}

/** An error message, announced at once by screen readers. */
export function Refusal({ error }: { error: Error | string | null | undefined }) {
  if (!error) return null
  return (
    <p className="refusal" role="alert">
      {typeof error === 'string' ? error : error.message}
    </p>
  )
}

const seenAfterMs = 500

/** Takes its space at once and is visible after half a second, so that fast loads do not flicker. */
export function Progress({ label = 'Loading' }: { label?: string }) {
  const [isSeen, setSeen] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setSeen(true), seenAfterMs)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div className={`progress ${isSeen ? 'is-seen' : ''}`} role="status">
      {label}…
    </div>
  )
}

export interface LoadedProps<Answer> {
  of: UseQueryResult<Answer>
  label?: string
  children: (answer: Answer) => ReactNode
}

/** Renders the data of a query; before that its progress or its error. */
export function Loaded<Answer>({ of, label, children }: LoadedProps<Answer>) {
  if (of.data !== undefined) return children(of.data)
  if (of.error) return <LoadError of={of} />
  return <Progress {...(label !== undefined && { label })} />
}

/** The error of a query, with a retry unless the gateway refused it. */
export function LoadError({ of: { error, refetch, isFetching } }: { of: UseQueryResult }) {
  const isRefused = error instanceof Refused && error.status >= 400 && error.status < 500
  return (
    <>
      <Refusal error={error} />
      {isRefused ? null : (
        <div className="row">
          <Button busy={isFetching} onClick={() => void refetch()}>
            Try again
          </Button>
        </div>
      )}
    </>
  )
}
