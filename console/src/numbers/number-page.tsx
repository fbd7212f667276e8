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
import { screenSentence } from '../api/screen-sentences.ts'
import { useGet, useSend } from '../api/queries.ts'
import { useSession } from '../api/session.ts'
import { useWho } from '../who/identity.ts'
import { Loaded, Refusal } from '../ui/feedback.tsx'
import { StatusLight } from '../ui/badge.tsx'
import { Button, ButtonLink } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Checkbox } from '../ui/field.tsx'
import { Page, Section } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { toast } from '../ui/toast.tsx'
import { carrierLabel, originLabel, pathStepName, ringsLabel } from './number-labels.ts'
import '../ui/facts.css'
import './numbers.css'
import { Fallbacks } from './fallbacks.tsx'
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
      <Loaded of={way} label="Loading call path">
        {({ steps, rings, last_call_at }) => (
          <Section
            title="Call path"
            hint={
              <>
                {ringsLabel(rings)}.{' '}
                {last_call_at === null ? (
                  'No calls yet.'
                ) : (
                  <>
                    Last call: <Time epochS={last_call_at} />.
                  </>
                )}
              </>
            }
          >
            <ol className="path" aria-label="Call path">
              {steps.map((step) => (
                <PathStepStatus key={step.step} step={step} />
              ))}
            </ol>
          </Section>
        )}
      </Loaded>
      {entry ? <About entry={entry} /> : null}
      {entry ? <Fallbacks entry={entry} /> : null}
      {entry ? <Changes number={number} isBought={entry.route.managed} onMoved={setMoved} /> : null}
    </Page>
  )
}

/** The number left this environment: shows the changes until the person continues. */
function Moved({ moved: { route, steps } }: { moved: ImportedNumber }) {
  return (
    <Page title={route.number} actions={<ButtonLink href="/numbers">All numbers</ButtonLink>}>
      <Section title={`Moved to ${route.env}`} hint={`${route.agent} answers it there.`}>
        <Steps label={`Changes for ${route.number}`} steps={steps} />
        <div className="row">
          <ButtonLink tone="primary" href={path`~/${route.env}/numbers/${route.number}`}>
            Go to {route.env}
          </ButtonLink>
        </div>
      </Section>
    </Page>
  )
}

function PathStepStatus({ step: { step, state, says, fix } }: { step: PathStep }) {
  return (
    <li className={`path-step ${state}`}>
      <h3>
        <StatusLight state={state} label={pathStepName(step)} />
      </h3>
      <p className="wrap-anywhere">{screenSentence(says)}</p>
      {fix === null ? null : (
        <p className="path-fix wrap-anywhere">
          <strong>To do:</strong> {screenSentence(fix)}
        </p>
      )}
    </li>
  )
}

function About({ entry: { route, origin, via, account } }: { entry: NumberEntry }) {
  return (
    <Section title="Details">
      <dl className="facts">
        <dt>Agent</dt>
        <dd>
          <Link href={`/agents/${route.agent}`}>{route.agent}</Link> in {route.env}
        </dd>
        <dt>Origin</dt>
        <dd>
          {originLabel(origin)}
          {via ? ` via ${carrierLabel(via)}` : ''}
        </dd>
        {account === null ? null : (
          <>
            <dt>Account</dt>
            <dd>{account}</dd>
          </>
        )}
        <dt>Channel</dt>
        <dd>{route.channel === 'msgapp' ? 'WhatsApp' : 'Phone'}</dd>
      </dl>
      <div>
        <Link href={`/numbers/import?number=${encodeURIComponent(route.number)}&agent=${route.agent}`}>
          Route to another agent
        </Link>
      </div>
    </Section>
  )
}

interface ChangesProps {
  number: string
  /** By the platform, so that it can be given back to the carrier. */
  isBought: boolean
  onMoved: (moved: ImportedNumber) => void
}

function Changes({ number, isBought, onMoved }: ChangesProps) {
  const { env } = useSession()
  const { me } = useWho()
  const [, go] = useLocation()
  const moving = useSend()
  const releasing = useSend()
  const [asks, setAsks] = useState<'move' | 'release' | null>(null)
  const [atCarrier, setAtCarrier] = useState(false)
  const other: Environment = env === 'sandbox' ? 'production' : 'sandbox'
  const move = async () => {
    const answer = await moving.send<ImportedNumber>('put', path`/v1/numbers/${number}/env`, { env: other })
    setAsks(null)
    if (answer) onMoved(answer)
  }
  const keep = () => {
    setAsks(null)
    setAtCarrier(false)
    releasing.clear()
  }
  const release = async () => {
    const query = atCarrier ? '?at_carrier=true' : ''
    const answer = await releasing.send('delete', path`/v1/numbers/${number}` + query)
    if (!answer) return
    toast(atCarrier ? `${number} released and given back to the carrier.` : `${number} released.`)
    go('/numbers')
  }
  return (
    <Section title="Manage">
      <div className="row">
        {me?.production ? <Button onClick={() => setAsks('move')}>Move to {other}</Button> : null}
        <Button tone="danger" onClick={() => setAsks('release')}>
          Release number
        </Button>
      </div>
      <Refusal error={moving.error} />
      <Dialog title={`Move ${number} to ${other}?`} open={asks === 'move'} onClose={() => setAsks(null)}>
        <p>Its calls are then answered by the app connected in {other}. Live calls are not interrupted.</p>
        <div className="row end">
          <Button onClick={() => setAsks(null)}>Cancel</Button>
          <Button tone="primary" busy={moving.busy} onClick={() => void move()}>
            Move number
          </Button>
        </div>
      </Dialog>
      <Dialog title={`Release ${number}?`} open={asks === 'release'} onClose={keep}>
        {isBought ? (
          <>
            <p>It no longer rings here. The platform keeps it, unless you give it back.</p>
            <Checkbox
              label="Give it back to the carrier"
              hint="The carrier may sell it to others. This cannot be undone."
              checked={atCarrier}
              onChange={setAtCarrier}
            />
          </>
        ) : (
          <p>It no longer rings here. It stays in the carrier account and can be imported again.</p>
        )}
        <Refusal error={releasing.error} />
        <div className="row end">
          <Button onClick={keep}>Cancel</Button>
          <Button tone="danger" busy={releasing.busy} onClick={() => void release()}>
            Release number
          </Button>
        </div>
      </Dialog>
    </Section>
  )
}
