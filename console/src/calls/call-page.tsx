import type { Waveform } from '@switchroom/contract/recordings'
import type { CallSummary } from '@switchroom/contract/sessions'
import { useEffect, useMemo } from 'react'
import { Link } from 'wouter'
import { path } from '../api/client.ts'
import { useGet } from '../api/queries.ts'
import { useCan } from '../who/identity.ts'
import { Loaded, Progress, Refusal } from '../ui/feedback.tsx'
import { Badge } from '../ui/badge.tsx'
import { ButtonLink } from '../ui/button.tsx'
import { Page, Section } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { CallElsewhere } from './call-elsewhere.tsx'
import { useCallLog, type CallLog } from './call-log.ts'
import { callTitle, channelName, contactOf } from './call-labels.ts'
import { EraseContact } from './erase-contact.tsx'
import { counted, lengthOf } from '../ui/quantities.ts'
import { StateBadge } from './calls-list.tsx'
import './calls.css'
import '../ui/facts.css'
import { Conversation } from './conversation-list.tsx'
import { conversationOf, endOf, stageName, textIn } from './conversation.ts'
import { LineQuality } from './line-quality.tsx'
import { SpokenCallContext, useSpokenCall } from './recording/playback.ts'
import { Recording } from './recording/recording.tsx'
import { SuperviseCall } from './supervise.tsx'
import { exchangesOf } from './turn-timings.ts'
import { useNames } from '../who/names.ts'

/** One call: transcript, latency, details and, while it is live, supervision. */
export function CallPage({ call }: { call: string }) {
  const state = useGet<CallSummary>(path`/v1/calls/${call}/state`)
  const isLive = state.data && state.data.state !== 'ended'
  const log = useCallLog(call, isLive)
  const firstWords = textIn(log.entries.find(({ type }) => type === 'user.message')?.data['text'])
  const turningPoint = log.entries.findLast(({ type }) => changesHead.has(type))?.seq
  const { refetch } = state
  useEffect(() => {
    if (turningPoint !== undefined) void refetch()
  }, [turningPoint, refetch])
  return (
    <Page
      title={state.data ? callTitle(state.data, firstWords) : 'Call'}
      actions={<ButtonLink href="/calls">All calls</ButtonLink>}
    >
      <CallElsewhere call={call} refused={state.error} />
      <Loaded of={state} label="Loading call">
        {(summary) => <CallShown summary={summary} log={log} />}
      </Loaded>
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
  const isRecorded = log.entries.some(({ type }) => type === 'recording.stored')
  const waveform = useGet<Waveform>(isRecorded ? path`/v1/calls/${summary.call}/recording/waveform` : null)
  const spoken = useSpokenCall(log.entries, waveform.data)
  return (
    <SpokenCallContext value={spoken}>
      <div className="call-page">
        <Section
          title="Transcript"
          hint={isLive ? 'Live' : 'Open the latency of an answer to see its stages.'}
        >
          <Refusal error={log.error} />
          {log.isLoading ? <Progress label="Loading log" /> : null}
          {!log.isLoading && items.length === 0 ? <p className="soft">No log entries.</p> : null}
          <Conversation
            items={items}
            exchanges={exchanges}
            startedAt={summary.started_at}
            now={log.now}
            contact={contactOf(summary) ?? 'Caller'}
            agent={summary.agent}
            nameOf={nameOf}
          />
        </Section>
        <div className="stack">
          {isLive && can('talk') ? (
            <SuperviseCall
              summary={summary}
              supervisor={summary.held_by === null ? null : nameOf(summary.held_by)}
            />
          ) : null}
          {isRecorded ? (
            <Recording call={summary.call} waveform={waveform} playback={spoken?.playback} />
          ) : null}
          <Facts summary={summary} log={log} />
          <LineQuality entries={log.entries} />
          <Callbacks summary={summary} />
          <Usage summary={summary} />
        </div>
      </div>
    </SpokenCallContext>
  )
}

function Facts({ summary, log }: { summary: CallSummary; log: CallLog }) {
  const { call, agent, state, channel, direction, from, to, started_at, ended_at } = summary
  const contact = contactOf(summary)
  return (
    <Section title="Details">
      <dl className="facts">
        <dt>State</dt>
        <dd>
          <StateBadge state={state} /> {summary.reason ? endOf(log.entries, summary.reason) : ''}
        </dd>
        <dt>Agent</dt>
        <dd>
          <Link href={`/agents/${encodeURIComponent(agent)}`}>{agent}</Link>
        </dd>
        <dt>Channel</dt>
        <dd>
          {channelName(channel)}, {direction}
        </dd>
        {from === null ? null : <Fact name="From">{from}</Fact>}
        {to === null ? null : <Fact name="To">{to}</Fact>}
        <dt>Started</dt>
        <dd>
          <Time epochS={started_at} />
        </dd>
        {ended_at === null ? null : <Fact name="Duration">{lengthOf(ended_at - started_at)}</Fact>}
        <dt>Settings</dt>
        <dd>
          {summary.config_version === null ? 'Defaults' : `Version ${summary.config_version}`}{' '}
          {summary.canary ? <Badge tone="warn">Canary</Badge> : null}
        </dd>
        <dt>Tools</dt>
        <dd>{counted(summary.tools.length, 'tool call')}</dd>
        <dt>Errors</dt>
        <dd>{summary.errors.length}</dd>
        <dt>Call ID</dt>
        <dd>
          <code className="wrap-anywhere">{call}</code>
        </dd>
        {summary.trace_id ? (
          <Fact name="Trace ID">
            <code className="wrap-anywhere">{summary.trace_id}</code>
          </Fact>
        ) : null}
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
    <Section title="Callback requested">
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
  const usage = summary.usage.filter(({ vendor }) => vendor !== '') // entries without a vendor are latency, not usage
  if (usage.length === 0) return null
  return (
    <Section title="Usage">
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
