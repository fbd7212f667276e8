import type { ReactNode } from 'react'
import './badge.css'

export interface BadgeProps {
  tone?: 'neutral' | 'good' | 'warn' | 'bad'
  children: ReactNode
}

export function Badge({ tone = 'neutral', children }: BadgeProps) {
  return <span className={`badge ${tone}`}>{children}</span>
}

export interface StatusLightProps {
  state: 'ok' | 'waiting' | 'broken'
  label: ReactNode
}

const spoken = { ok: 'working', waiting: 'waiting', broken: 'not working' }

/** A color, a shape, and a word for screen readers. */
export function StatusLight({ state, label }: StatusLightProps) {
  return (
    <span className={`status-light ${state}`}>
      <span>
        {label}
        <span className="sr-only">: {spoken[state]}</span>
      </span>
    </span>
  )
}
