import { useEffect, useId, useRef, type ReactNode } from 'react'
import { useDiscovery } from '../who/brand.ts'
import './page.css'

export interface PageProps {
  title: string
  actions?: ReactNode
  children: ReactNode
}

/** A screen. Its heading takes the focus, so that screen readers announce it. */
export function Page({ title, actions, children }: PageProps) {
  const product = useDiscovery()?.brand.name
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = product === undefined ? title : `${title} · ${product}`
    if (document.activeElement === document.body || document.activeElement?.closest('nav'))
      heading.current?.focus({ preventScroll: true })
  }, [title, product])
  return (
    <div className="page">
      <header className="page-head">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {actions ? <div className="row">{actions}</div> : null}
      </header>
      {children}
    </div>
  )
}

export interface SectionProps {
  title: string
  hint?: ReactNode
  actions?: ReactNode
  children: ReactNode
}

export function Section({ title, hint, actions, children }: SectionProps) {
  const id = useId()
  return (
    <section className="section" aria-labelledby={id}>
      <div className="row">
        <div className="section-head grow">
          <h2 id={id}>{title}</h2>
          {hint ? <p className="soft">{hint}</p> : null}
        </div>
        {actions}
      </div>
      {children}
    </section>
  )
}
