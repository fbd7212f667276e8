import type { UseQueryResult } from '@tanstack/react-query'
import { useEffect, useState, type ReactNode } from 'react'
import { Refused } from '../api/client.ts'
import './answers.css'
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

/** The sentence of a refusal, read out at once; nothing where there is none. */
export function Refusal({ error }: { error: Error | string | null | undefined }) {
  if (!error) return null
  return (
    <p className="refusal" role="alert">
      {typeof error === 'string' ? error : error.message}
    </p>
  )
}

const seenAfterMs = 500

/** Takes its place at once and is seen after half a second: what is quick does not flicker. */
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

export interface AnsweredProps<Answer> {
  of: UseQueryResult<Answer>
  label?: string
  children: (answer: Answer) => ReactNode
}

/** What was asked for: progress until it is there, the refusal's sentence when it is not to be had. */
export function Answered<Answer>({ of, label, children }: AnsweredProps<Answer>) {
  if (of.data !== undefined) return children(of.data)
  if (of.error) return <Unanswered of={of} />
  return <Progress {...(label !== undefined && { label })} />
}

/** What was not refused but could not be had may be there in a moment. */
export function Unanswered({ of: { error, refetch, isFetching } }: { of: UseQueryResult }) {
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
