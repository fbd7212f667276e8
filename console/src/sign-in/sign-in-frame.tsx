import { useEffect, type ReactNode } from 'react'
import { useDiscovery } from '../who/brand.ts'
import './sign-in-frame.css'

/** The frame of every page before sign-in: brand, heading, one form. */
export function SignInFrame({ title, children }: { title: string; children: ReactNode }) {
  const brand = useDiscovery()?.brand
  useEffect(() => {
    document.title = brand ? `${title} · ${brand.name}` : title
  }, [title, brand])
  return (
    <main className="sign-in">
      <div className="sign-in-brand">
        {brand?.logo_url ? <img src={brand.logo_url} alt="" /> : null}
        <span>{brand?.name ?? ''}</span>
      </div>
      <h1>{title}</h1>
      {children}
    </main>
  )
}
