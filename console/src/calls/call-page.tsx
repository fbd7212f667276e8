import type { CallSummary } from '@switchroom/contract/sessions'
import { useEffect, useMemo } from 'react'
import { Link } from 'wouter'
import { path } from '../api/client.ts'
import { useGet } from '../api/queries.ts'
import { useCan } from '../who/identity.ts'
import { Answered, Progress, Refusal } from '../ui/answers.tsx'
import { Badge } from '../ui/badge.tsx'
import { ButtonLink } from '../ui/button.tsx'
import { Page, Section } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { useCallLog, type CallLog } from './call-log.ts'
import { channelName, contactOf, otherSide } from './call-labels.ts'
import { EraseContact } from './erase-contact.tsx'
import { counted, lengthOf } from '../ui/quantities.ts'
import { StateBadge } from './calls-list.tsx'
import './calls.css'
import '../ui/facts.css'
import { Conversation } from './conversation-list.tsx'
import { conversationOf, reasonName, stageName } from './conversation.ts'
import { SuperviseCall } from './supervise.tsx'
import { exchangesOf } from './turn-timings.ts'
import { useNames } from '../who/names.ts'

/** One call: what was said and done, how long it took, and what may be done about it while it goes on. */
export function CallPage({ call }: { call: string }) {
  const state = useGet<CallSummary>(path`/v1/calls/${call}/state`)
  const isLive = state.data && state.data.state !== 'ended'
  const log = useCallLog(call, isLive)
  const turningPoint = log.entries.findLast(({ type }) => changesHead.has(type))?.seq
  const { refetch } = state
  useEffect(() => {
    if (turningPoint !== undefined) void refetch()
  }, [turningPoint, refetch])
  return (
    <Page
      title={state.data ? `Call with ${otherSide(state.data)}` : 'Call'}
      actions={<ButtonLink href="/calls">All calls</ButtonLink>}
    >
      <Answered of={state} label="Reading the call">
        {(summary) => <CallShown summary={summary} log={log} />}
      </Answered>
    </Page>
  )
}

const changesHead = new Set([
  'call.taken_over',
  'call.released',
  'call.answered',
  'call.ended',
  'metrics',
  'error',
  'callback.requested',
])

function CallShown({ summary, log }: { summary: CallSummary; log: CallLog }) {
  const can = useCan()
  const nameOf = useNames()
  const items = useMemo(() => conversationOf(log.entries, nameOf), [log.entries, nameOf])
  const exchanges = useMemo(() => exchangesOf(log.entries), [log.entries])
  const isLive = summary.state !== 'ended'
  return (
    <div className="call-page">
      <Section
        title="What was said"
        hint={
          isLive
            ? 'It goes on: new turns appear by themselves.'
            : 'Open the time an answer took to see its stages.'
        }
      >
        <Refusal error={log.error} />
        {log.isLoading ? <Progress label="Reading the log" /> : null}
        {!log.isLoading && items.length === 0 ? <p className="soft">Nothing is kept of this call.</p> : null}
        <Conversation
          items={items}
          exchanges={exchanges}
          startedAt={summary.started_at}
          now={log.now}
          contact={otherSide(summary)}
          agent={summary.agent}
          nameOf={nameOf}
        />
      </Section>
      <div className="stack">
        {isLive && can('talk') ? (
          <SuperviseCall
            summary={summary}
            holder={summary.held_by === null ? null : nameOf(summary.held_by)}
          />
        ) : null}
        <Facts summary={summary} />
        <Callbacks summary={summary} />
        <Usage summary={summary} />
      </div>
    </div>
  )
}

function Facts({ summary }: { summary: CallSummary }) {
  const { call, agent, state, channel, direction, from, to, started_at, ended_at } = summary
  const contact = contactOf(summary)
  return (
    <Section title="About this call">
      <dl className="facts">
        <dt>State</dt>
        <dd>
          <StateBadge state={state} /> {summary.reason ? reasonName(summary.reason) : ''}
        </dd>
        <dt>Agent</dt>
        <dd>
          <Link href={`/agents/${encodeURIComponent(agent)}`}>{agent}</Link>
        </dd>
        <dt>Came in by</dt>
        <dd>
          {channelName(channel)}, {direction}
        </dd>
        {from === null ? null : <Fact name="From">{from}</Fact>}
        {to === null ? null : <Fact name="To">{to}</Fact>}
        <dt>Began</dt>
        <dd>
          <Time epochS={started_at} />
        </dd>
        {ended_at === null ? null : <Fact name="Length">{lengthOf(ended_at - started_at)}</Fact>}
        <dt>Settings</dt>
        <dd>
          {summary.config_version === null ? 'As shipped' : `Version ${summary.config_version}`}{' '}
          {summary.canary ? <Badge tone="warn">canary</Badge> : null}
        </dd>
        <dt>Tools</dt>
        <dd>{counted(summary.tools.length, 'run')}</dd>
        <dt>Errors</dt>
        <dd>{summary.errors.length}</dd>
        <dt>Call id</dt>
        <dd>
          <code className="wrap-anywhere">{call}</code>
        </dd>
      </dl>
      {contact === null ? null : (
        <div className="row">
          <EraseContact contact={contact} thenTo="/calls" />
        </div>
      )}
    </Section>
  )
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  )
}

function Callbacks({ summary: { callbacks } }: { summary: CallSummary }) {
  if (callbacks.length === 0) return null
  return (
    <Section title="Wants to be called back">
      <ul className="plain-list">
        {callbacks.map(({ seq, number, when, note }) => (
          <li key={seq}>
            <strong>{number}</strong> {[when, note].filter(Boolean).join(': ')}
          </li>
        ))}
      </ul>
      <Link href="/calls/callbacks">All callbacks</Link>
    </Section>
  )
}

function Usage({ summary }: { summary: CallSummary }) {
  const usage = summary.usage.filter(({ vendor }) => vendor !== '') // how long a turn took is no use of anything
  if (usage.length === 0) return null
  return (
    <Section title="What it used">
      <dl className="facts">
        {usage.map(({ stage, vendor, model, key, amounts, credits }) => (
          <Fact key={[stage, vendor, model, key].join(' ')} name={stageName(stage)}>
            {[vendor, model].filter(Boolean).join(' ')}
            <div className="soft">
              {[...Object.entries(amounts).map(amountOf), `${credits.toFixed(3)} credits`].join(', ')}
            </div>
          </Fact>
        ))}
      </dl>
    </Section>
  )
}

const amountOf = ([name, amount]: [string, number]) =>
  `${Math.round(amount * 10) / 10} ${name.replaceAll('_', ' ')}`
