import type { ReactNode } from 'react'
import './badge.css'

export interface BadgeProps {
  tone?: 'neutral' | 'good' | 'warn' | 'bad'
  children: ReactNode
}

export function Badge({ tone = 'neutral', children }: BadgeProps) {
  return <span className={`badge ${tone}`}>{children}</span>
}

export interface LampProps {
  state: 'ok' | 'waiting' | 'broken'
  label: ReactNode
}

const spoken = { ok: 'works', waiting: 'waits', broken: 'does not work' }

/** Its colour, its form and a word for whoever sees neither. */
export function Lamp({ state, label }: LampProps) {
  return (
    <span className={`lamp ${state}`}>
      <span>
        {label}
        <span className="sr-only">: {spoken[state]}</span>
      </span>
    </span>
  )
}
