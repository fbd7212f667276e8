import type { Scope } from '@switchroom/contract/scopes'
import { Link, useLocation } from 'wouter'
import { useCan, useWho } from '../who/identity.ts'
import './navigation.css'

interface Place {
  href: string
  label: string
  /** Any of them opens it; every key where none is named. */
  scopes?: Scope[]
}

const work: Place[] = [
  { href: '/agents', label: 'Agents', scopes: ['calls'] },
  { href: '/calls', label: 'Calls', scopes: ['calls'] },
  { href: '/threads', label: 'Threads', scopes: ['calls'] },
  { href: '/numbers', label: 'Numbers', scopes: ['numbers', 'calls'] },
]
const organisation: Place[] = [
  { href: '/team', label: 'Team', scopes: ['team'] },
  { href: '/keys', label: 'Keys' },
  { href: '/provider-keys', label: 'Provider keys', scopes: ['providers'] },
  { href: '/judging', label: 'Judging', scopes: ['pipeline', 'words'] },
  { href: '/single-sign-on', label: 'Single sign-on', scopes: ['team'] },
  { href: '/mailbox', label: 'Mailbox', scopes: ['team'] },
  { href: '/audit', label: 'Audit log', scopes: ['team'] },
]
const platform: Place[] = [
  { href: '/platform/orgs', label: 'Orgs' },
  { href: '/platform/brand', label: 'Brand' },
  { href: '/platform/mail', label: 'Platform mail' },
  { href: '/platform/providers', label: 'Providers' },
  { href: '/numbers/approvals', label: 'Approvals' },
  { href: '/platform/route-number', label: 'Route a number' },
  { href: '/platform/retention', label: 'Retention' },
  { href: '/platform/audit', label: 'Audit log' },
]

export function Navigation() {
  const can = useCan()
  const { me, operator } = useWho()
  const open = (places: Place[]) => places.filter(({ scopes }) => !scopes || can(...scopes))
  return (
    <nav className="navigation" aria-label="Main">
      {me ? <Group title="Work" places={open(work)} /> : null}
      {me ? <Group title="Organisation" places={open(organisation)} /> : null}
      {operator ? <Group title="Platform" places={platform} /> : null}
    </nav>
  )
}

function Group({ title, places }: { title: string; places: Place[] }) {
  const [here] = useLocation()
  if (places.length === 0) return null
  const isHere = (href: string) => {
    if (here === '/numbers/approvals') return href === here // the operator's, though it stands among the numbers
    return here === href || here.startsWith(`${href}/`) || (here === '/' && href === '/agents')
  }
  return (
    <div>
      <h2>{title}</h2>
      <ul>
        {places.map(({ href, label }) => (
          <li key={href}>
            <Link href={href} aria-current={isHere(href) ? 'page' : undefined}>
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </div>
  )
}
