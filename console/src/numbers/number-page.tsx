import type { Environment } from '@switchroom/contract/scopes'
import type {
  ImportedNumber,
  NumberEntry,
  NumberList,
  NumberPath,
  PathStep,
} from '@switchroom/contract/numbers'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { path } from '../api/client.ts'
import { useGet, useSend } from '../api/queries.ts'
import { chooseEnvironment, useSession } from '../api/session.ts'
import { useWho } from '../who/identity.ts'
import { Answered, Refusal } from '../ui/answers.tsx'
import { Lamp } from '../ui/badge.tsx'
import { Button, ButtonLink } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Page, Section } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { toast } from '../ui/toast.tsx'
import { originSays, pathStepName, ringsSays } from './number-labels.ts'
import '../ui/facts.css'
import './numbers.css'
import { Steps } from './steps-list.tsx'

const everyMs = 5000

export function NumberPage({ number }: { number: string }) {
  const way = useGet<NumberPath>(path`/v1/numbers/${number}/path`, { everyMs })
  const { data } = useGet<NumberList>('/v1/numbers')
  const entry = data?.numbers.find(({ route }) => route.number === number)
  const [moved, setMoved] = useState<ImportedNumber | null>(null)
  if (moved) return <Moved moved={moved} />
  return (
    <Page title={number} actions={<ButtonLink href="/numbers">All numbers</ButtonLink>}>
      <Answered of={way} label="Following the way of a call">
        {({ steps, rings, last_call_at }) => (
          <Section
            title="The way of a call"
            hint={
              <>
                {ringsSays(rings)}.{' '}
                {last_call_at === null ? (
                  'Nobody has called yet.'
                ) : (
                  <>
                    Last call: <Time epochS={last_call_at} />.
                  </>
                )}
              </>
            }
          >
            <ol className="path" aria-label="The way of a call">
              {steps.map((step) => (
                <PathLamp key={step.step} step={step} />
              ))}
            </ol>
          </Section>
        )}
      </Answered>
      {entry ? <About entry={entry} /> : null}
      {entry ? <Changes number={number} onMoved={setMoved} /> : null}
    </Page>
  )
}

/** It is no number of this environment any more; what was done stands until one goes on. */
function Moved({ moved: { route, steps } }: { moved: ImportedNumber }) {
  return (
    <Page title={route.number} actions={<ButtonLink href="/numbers">All numbers</ButtonLink>}>
      <Section title={`Moved to ${route.env}`} hint={`${route.agent} answers it there.`}>
        <Steps label={`What moved ${route.number}`} steps={steps} />
        <div className="row">
          <Button tone="primary" onClick={() => chooseEnvironment(route.env)}>
            Go to {route.env}
          </Button>
        </div>
      </Section>
    </Page>
  )
}

function PathLamp({ step: { step, state, says, fix } }: { step: PathStep }) {
  return (
    <li className={`path-step ${state}`}>
      <h3>
        <Lamp state={state} label={pathStepName(step)} />
      </h3>
      <p className="wrap-anywhere">{says}</p>
      {fix === null ? null : (
        <p className="path-fix wrap-anywhere">
          <strong>To do:</strong> {fix}
        </p>
      )}
    </li>
  )
}

function About({ entry: { route, origin, via, account } }: { entry: NumberEntry }) {
  return (
    <Section title="About this number">
      <dl className="facts">
        <dt>Answered by</dt>
        <dd>
          <Link href={`/agents/${route.agent}`}>{route.agent}</Link> in {route.env}
        </dd>
        <dt>Comes from</dt>
        <dd>
          {originSays(origin)}
          {via ? `, through ${via}` : ''}
        </dd>
        {account === null ? null : (
          <>
            <dt>Account</dt>
            <dd>{account}</dd>
          </>
        )}
        <dt>Carries</dt>
        <dd>{route.channel === 'msgapp' ? 'Messages' : 'Calls'}</dd>
      </dl>
      <div>
        <Link href={`/numbers/import?number=${encodeURIComponent(route.number)}&agent=${route.agent}`}>
          Lead it to another agent
        </Link>
      </div>
    </Section>
  )
}

interface ChangesProps {
  number: string
  onMoved: (moved: ImportedNumber) => void
}

function Changes({ number, onMoved }: ChangesProps) {
  const { env } = useSession()
  const { me } = useWho()
  const [, go] = useLocation()
  const moving = useSend()
  const letting = useSend()
  const [asks, setAsks] = useState<'move' | 'let go' | null>(null)
  const other: Environment = env === 'sandbox' ? 'production' : 'sandbox'
  const move = async () => {
    const answer = await moving.send<ImportedNumber>('put', path`/v1/numbers/${number}/env`, { env: other })
    setAsks(null)
    if (answer) onMoved(answer)
  }
  const keep = () => {
    setAsks(null)
    letting.clear()
  }
  const letGo = async () => {
    const answer = await letting.send('delete', path`/v1/numbers/${number}`)
    if (!answer) return
    toast(`${number} is let go`)
    go('/numbers')
  }
  return (
    <Section title="Change it">
      <div className="row">
        {me?.production ? <Button onClick={() => setAsks('move')}>Move to {other}</Button> : null}
        <Button tone="danger" onClick={() => setAsks('let go')}>
          Let it go
        </Button>
      </div>
      <Refusal error={moving.error} />
      <Dialog title={`Move ${number} to ${other}?`} open={asks === 'move'} onClose={() => setAsks(null)}>
        <p>
          From then on its calls are answered by the app that holds the agent in {other}. Calls that go on are
          not cut.
        </p>
        <div className="row end">
          <Button onClick={() => setAsks(null)}>Leave it</Button>
          <Button tone="primary" busy={moving.busy} onClick={() => void move()}>
            Move it
          </Button>
        </div>
      </Dialog>
      <Dialog title={`Let ${number} go?`} open={asks === 'let go'} onClose={keep}>
        <p>It no longer rings here. The carrier’s account keeps it, and it can be brought again.</p>
        <Refusal error={letting.error} />
        <div className="row end">
          <Button onClick={keep}>Keep it</Button>
          <Button tone="danger" busy={letting.busy} onClick={() => void letGo()}>
            Let it go
          </Button>
        </div>
      </Dialog>
    </Section>
  )
}
