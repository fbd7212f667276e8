import { useEffect, type ReactNode } from 'react'
import { useDiscovery } from '../who/brand.ts'
import './sign-in-frame.css'

/** What every way in looks like: the brand, a heading, one thing to do. */
export function Door({ title, children }: { title: string; children: ReactNode }) {
  const brand = useDiscovery()?.brand
  useEffect(() => {
    document.title = brand ? `${title} · ${brand.name}` : title
  }, [title, brand])
  return (
    <main className="door">
      <div className="door-brand">
        {brand?.logo_url ? <img src={brand.logo_url} alt="" /> : null}
        <span>{brand?.name ?? ''}</span>
      </div>
      <h1>{title}</h1>
      {children}
    </main>
  )
}
