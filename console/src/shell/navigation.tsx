import type { Scope } from '@switchroom/contract/scopes'
import { Link, useLocation } from 'wouter'
import { useCan, useWho } from '../who/identity.ts'
import './navigation.css'

interface NavItem {
  href: string
  label: string
  /** Any of these scopes shows it; without scopes every key does. */
  scopes?: Scope[]
}

const work: NavItem[] = [
  { href: '/home', label: 'Home', scopes: ['calls'] },
  { href: '/agents', label: 'Agents', scopes: ['calls'] },
  { href: '/calls', label: 'Calls', scopes: ['calls'] },
  { href: '/knowledge', label: 'Knowledge', scopes: ['knowledge'] },
  { href: '/threads', label: 'Threads', scopes: ['calls'] },
  { href: '/numbers', label: 'Numbers', scopes: ['numbers', 'calls'] },
]
const organization: NavItem[] = [
  { href: '/team', label: 'Team', scopes: ['team'] },
  { href: '/keys', label: 'Keys' },
  { href: '/publishable-keys', label: 'Publishable keys', scopes: ['app', 'keys'] },
  { href: '/provider-keys', label: 'Provider keys', scopes: ['providers'] },
  { href: '/model-endpoints', label: 'Model endpoints', scopes: ['providers'] },
  { href: '/webhooks', label: 'Webhooks', scopes: ['pipeline', 'team'] },
  { href: '/judging', label: 'Evaluation', scopes: ['pipeline', 'words'] },
  { href: '/single-sign-on', label: 'Single sign-on', scopes: ['team'] },
  { href: '/mailbox', label: 'Mailbox', scopes: ['team'] },
  { href: '/audit', label: 'Audit log', scopes: ['team'] },
]
const platform: NavItem[] = [
  { href: '/platform/orgs', label: 'Organizations' },
  { href: '/platform/brand', label: 'Brand' },
  { href: '/platform/mail', label: 'Platform mail' },
  { href: '/platform/providers', label: 'Providers' },
  { href: '/numbers/approvals', label: 'Approvals' },
  { href: '/platform/route-number', label: 'Route number' },
  { href: '/platform/retention', label: 'Retention' },
  { href: '/platform/audit', label: 'Audit log' },
]

export function Navigation() {
  const can = useCan()
  const { me, operator } = useWho()
  const open = (items: NavItem[]) => items.filter(({ scopes }) => !scopes || can(...scopes))
  return (
    <nav className="navigation" aria-label="Main">
      {me ? <Group title="Work" items={open(work)} /> : null}
      {me ? <Group title="Organization" items={open(organization)} /> : null}
      {operator ? <Group title="Platform" items={platform} /> : null}
    </nav>
  )
}

function Group({ title, items }: { title: string; items: NavItem[] }) {
  const [here] = useLocation()
  if (items.length === 0) return null
  const isHere = (href: string) => {
    if (here === '/numbers/approvals') return href === here // listed under Platform, although its path is under numbers
    return here === href || here.startsWith(`${href}/`) || (here === '/' && href === '/agents')
  }
  return (
    <div>
      <h2>{title}</h2>
      <ul>
        {items.map(({ href, label }) => (
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
