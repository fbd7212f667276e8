import type { Scope } from '@switchroom/contract/scopes'
import { useCan, useWho } from '../who/identity.ts'
import { Tabs } from '../ui/tabs.tsx'

const tabs: { href: string; label: string; scope: Scope }[] = [
  { href: '/numbers', label: 'Numbers', scope: 'numbers' },
  { href: '/numbers/carriers', label: 'Carriers', scope: 'numbers' },
  { href: '/numbers/outbound', label: 'Outbound', scope: 'numbers' },
  { href: '/numbers/dial', label: 'Dial', scope: 'talk' },
  { href: '/numbers/consent', label: 'Consent', scope: 'calls' },
  { href: '/numbers/do-not-call', label: 'Do not call', scope: 'calls' },
  { href: '/numbers/ledger', label: 'Dial log', scope: 'calls' },
]

export function NumberTabs({ current }: { current: string }) {
  const can = useCan()
  const { operator } = useWho()
  const open = tabs.filter(({ scope }) => can(scope))
  const approvals = operator ? [{ href: '/numbers/approvals', label: 'Approvals' }] : []
  return <Tabs label="Numbers" tabs={[...open, ...approvals]} current={current} />
}
