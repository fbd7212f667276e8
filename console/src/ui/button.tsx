import type { ComponentProps } from 'react'
import { Link } from 'wouter'
import './button.css'

export type ButtonTone = 'primary' | 'danger' | 'plain'

export interface ButtonProps extends ComponentProps<'button'> {
  tone?: ButtonTone
  busy?: boolean
}

/** While busy it keeps the focus and ignores clicks. */
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
