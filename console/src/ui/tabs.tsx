import { useEffect, useRef } from 'react'
import { Link } from 'wouter'
import './tabs.css'

export interface Tab {
  href: string
  label: string
}

export interface TabsProps {
  label: string
  tabs: readonly Tab[]
  /** The href of the tab that is shown. */
  current: string
}

/** Each tab has its own address, for links and for Back. */
export function Tabs({ label, tabs, current }: TabsProps) {
  const list = useRef<HTMLElement>(null)
  useEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [current])
  return (
    <nav ref={list} className="tabs" aria-label={label}>
      {tabs.map((tab) => (
        <Link key={tab.href} href={tab.href} aria-current={tab.href === current ? 'page' : undefined}>
          {tab.label}
        </Link>
      ))}
    </nav>
  )
}
