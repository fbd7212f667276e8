import type { AgentList } from '@switchroom/contract/apps'
import { lazy, type ComponentType } from 'react'
import { path } from '../api/client.ts'
import { useGet } from '../api/queries.ts'
import { useCan } from '../who/identity.ts'
import { Empty } from '../ui/feedback.tsx'
import { StatusLight } from '../ui/badge.tsx'
import { ButtonLink } from '../ui/button.tsx'
import { Page } from '../ui/page.tsx'
import { Tabs } from '../ui/tabs.tsx'
import type { AgentPartProps } from './agent-part.ts'

interface Part {
  name: string
  label: string
  Screen: ComponentType<AgentPartProps>
  isOpen: (can: ReturnType<typeof useCan>) => boolean
}

const talks = (can: ReturnType<typeof useCan>) => can('talk')
const sets = (can: ReturnType<typeof useCan>) => can('pipeline', 'words')
const runs = (can: ReturnType<typeof useCan>) => can('pipeline')

const parts: Part[] = [
  { name: '', label: 'Chat', Screen: lazy(() => import('./chat.tsx')), isOpen: talks },
  { name: 'voice', label: 'Talk', Screen: lazy(() => import('./voice.tsx')), isOpen: talks },
  { name: 'settings', label: 'Settings', Screen: lazy(() => import('./settings.tsx')), isOpen: sets },
  { name: 'history', label: 'History', Screen: lazy(() => import('./history.tsx')), isOpen: sets },
  { name: 'canary', label: 'Canary', Screen: lazy(() => import('./canary.tsx')), isOpen: sets },
  { name: 'lexicon', label: 'Lexicon', Screen: lazy(() => import('./lexicon.tsx')), isOpen: sets },
  { name: 'voices', label: 'Voices', Screen: lazy(() => import('./voices.tsx')), isOpen: runs },
]

export function AgentPage({ agent, part }: { agent: string; part: string }) {
  const can = useCan()
  const open = parts.filter(({ isOpen }) => isOpen(can))
  const agents = useGet<AgentList>('/v1/agents', { everyMs: 10_000 })
  const entry = agents.data?.agents.find((one) => one.agent === agent)
  const hrefOf = (name: string) => path`/agents/${agent}` + (name === '' ? '' : `/${name}`)
  const shown = part === '' ? open[0] : open.find(({ name }) => name === part)
  return (
    <Page
      title={agent}
      actions={
        <>
          {agents.data ? (
            <StatusLight
              state={entry?.held ? 'ok' : 'broken'}
              label={entry?.held ? `Connected app: ${entry.app ?? 'unnamed'}` : 'Offline'}
            />
          ) : null}
          <ButtonLink href={`/calls?${new URLSearchParams({ agent })}`}>View calls</ButtonLink>
        </>
      }
    >
      <Tabs
        label={`Pages of ${agent}`}
        tabs={open.map(({ name, label }) => ({ href: hrefOf(name), label }))}
        current={hrefOf(shown?.name ?? '')}
      />
      {shown ? (
        <shown.Screen agent={agent} />
      ) : (
        <Empty title="Your role has no access to this page">
          <p>Ask an admin for another role.</p>
        </Empty>
      )}
    </Page>
  )
}
