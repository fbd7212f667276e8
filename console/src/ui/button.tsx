import type { ComponentProps } from 'react'
import { Link } from 'wouter'
import './button.css'

export type ButtonTone = 'primary' | 'danger' | 'plain'

export interface ButtonProps extends ComponentProps<'button'> {
  tone?: ButtonTone
  busy?: boolean
}

/** Busy, it keeps the focus and says so, and is not pressed again. */
export function Button({ tone, busy = false, className, type = 'button', onClick, ...rest }: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      className={['button', tone, className].filter(Boolean).join(' ')}
      aria-busy={busy}
      aria-disabled={busy || undefined}
      onClick={(event) => (busy ? event.preventDefault() : onClick?.(event))}
    />
  )
}

export interface ButtonLinkProps {
  href: string
  tone?: ButtonTone
  children: React.ReactNode
}

/** Looks like a button and goes to another screen. */
export function ButtonLink({ href, tone, children }: ButtonLinkProps) {
  return (
    <Link href={href} className={['button', tone].filter(Boolean).join(' ')}>
      {children}
    </Link>
  )
}
