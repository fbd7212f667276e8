import { useEffect, useRef, useState, type ReactNode } from 'react'
import { useLocation } from 'wouter'
import { showRefusal, useSession } from '../api/session.ts'
import { Refusal } from '../ui/feedback.tsx'
import { Button } from '../ui/button.tsx'
import { ErrorBoundary } from '../ui/error-boundary.tsx'
import { useDiscovery } from '../who/brand.ts'
import { EnvironmentSwitch } from './environment-switch.tsx'
import './frame.css'
import { Navigation } from './navigation.tsx'
import { LeavingDialog } from './leaving.tsx'
import { OutageBanner } from './outage-banner.tsx'
import { OrgMenu } from './org-menu.tsx'

/** The frame of every screen: navigation, account and environment. */
export function Frame({ children }: { children: ReactNode }) {
  const { env, ended } = useSession()
  const [isMenuOpen, setMenuOpen] = useState(false)
  const [path] = useLocation()
  const menuButton = useRef<HTMLButtonElement>(null)
  const main = useRef<HTMLElement>(null)
  useEffect(() => {
    setMenuOpen(false)
    main.current?.scrollTo(0, 0)
  }, [path])
  useEffect(() => {
    if (!isMenuOpen) return
    const onKey = ({ key }: KeyboardEvent) => {
      if (key !== 'Escape') return
      setMenuOpen(false)
      menuButton.current?.focus()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [isMenuOpen])
  return (
    <div className={`frame ${env}`}>
      <a className="skip" href="#content" onClick={() => main.current?.focus()}>
        Skip to content
      </a>
      <header className="top">
        <Button
          ref={menuButton}
          className="menu-button"
          tone="plain"
          aria-expanded={isMenuOpen}
          aria-controls="navigation"
          onClick={() => setMenuOpen(!isMenuOpen)}
        >
          <span aria-hidden="true">☰</span> Menu
        </Button>
        <Brand />
        <EnvironmentSwitch />
      </header>
      <aside className="side" id="navigation" data-open={isMenuOpen || undefined}>
        <Navigation />
        <OrgMenu />
      </aside>
      <main className="content" id="content" ref={main} tabIndex={-1}>
        <OutageBanner />
        {ended === null ? null : (
          <div className="refusal-banner">
            <Refusal error={ended} />
            <Button onClick={() => showRefusal(null)}>Close</Button>
          </div>
        )}
        <ErrorBoundary path={path}>{children}</ErrorBoundary>
      </main>
      <LeavingDialog />
    </div>
  )
}

function Brand() {
  const brand = useDiscovery()?.brand
  return (
    <div className="brand">
      {brand?.logo_url ? <img src={brand.logo_url} alt="" height="24" /> : null}
      <span>{brand?.name ?? ''}</span>
    </div>
  )
}
