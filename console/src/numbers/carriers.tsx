import type { CarrierAccount, CarrierList, StatedNetwork } from '@switchroom/contract/carriers'
import { useState } from 'react'
import { Link } from 'wouter'
import { useGet, useSend } from '../api/queries.ts'
import { Loaded, Empty, Refusal } from '../ui/feedback.tsx'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Page } from '../ui/page.tsx'
import { Table } from '../ui/table.tsx'
import { toast } from '../ui/toast.tsx'
import { CarrierForm } from './carrier-form.tsx'
import { NumberTabs } from './number-tabs.tsx'
import { kindName } from './number-labels.ts'
import { TrunkTestDialog } from './trunk-test.tsx'
import './numbers.css'

/** The org's accounts at Twilio, WhatsApp and SIP peers. */
export function Carriers() {
  const accounts = useGet<CarrierList>('/v1/carriers', { everyMs: 30_000 })
  const [edited, setEdited] = useState<CarrierAccount | 'new' | null>(null)
  const [testing, setTesting] = useState<CarrierAccount | null>(null)
  const [deleting, setDeleting] = useState<CarrierAccount | null>(null)
  const actions = (account: CarrierAccount) => (
    <div className="row">
      {account.kind === 'msgapp' ? null : (
        <Button onClick={() => setTesting(account)} aria-label={`Test ${account.label || account.account}`}>
          Test
        </Button>
      )}
      <Button onClick={() => setEdited(account)} aria-label={`Edit ${account.label || account.account}`}>
        Edit
      </Button>
      <Button
        tone="danger"
        onClick={() => setDeleting(account)}
        aria-label={`Delete ${account.label || account.account}`}
      >
        Delete
      </Button>
    </div>
  )
  return (
    <Page
      title="Carriers"
      actions={
        <Button tone="primary" onClick={() => setEdited('new')}>
          Add account
        </Button>
      }
    >
      <NumberTabs current="/numbers/carriers" />
      <Loaded of={accounts} label="Loading accounts">
        {({ carriers }) => (
          <Table
            caption="Carrier accounts"
            rows={carriers}
            rowKey={({ account }) => account}
            columns={[
              { title: 'Account', cell: nameOf },
              { title: 'Type', cell: ({ kind }) => kindName(kind) },
              { title: 'Registration', cell: ({ sip }) => <RegistrationBadge sip={sip} /> },
              { title: 'Networks', cell: ({ networks }) => <Networks networks={networks} /> },
              { title: '', cell: actions },
            ]}
            empty={
              <Empty title="No carrier accounts yet">
                <p>
                  Add the account that owns your numbers. Without one you can still{' '}
                  <Link href="/numbers/import">point a number here yourself</Link>.
                </p>
              </Empty>
            }
          />
        )}
      </Loaded>
      <Dialog
        title={edited === 'new' ? 'Add account' : 'Edit account'}
        open={edited !== null}
        onClose={() => setEdited(null)}
      >
        {edited === null ? null : (
          <CarrierForm account={edited === 'new' ? null : edited} onDone={() => setEdited(null)} />
        )}
      </Dialog>
      <TrunkTestDialog account={testing} onClose={() => setTesting(null)} />
      <DeleteDialog account={deleting} onClose={() => setDeleting(null)} />
    </Page>
  )
}

const nameOf = ({ label, account }: CarrierAccount) => (
  <span className="wrap-anywhere">
    {label || account}
    {label && label !== account ? <code className="account-id soft">{account}</code> : null}
  </span>
)

const states = {
  approved: { tone: 'good', label: 'Approved' },
  waiting: { tone: 'warn', label: 'Waiting' },
  refused: { tone: 'bad', label: 'Rejected' },
} as const

const registrationStates = {
  registered: { tone: 'good', label: 'Registered' },
  trying: { tone: 'warn', label: 'Trying' },
  waiting: { tone: 'warn', label: 'Waiting' },
  refused: { tone: 'bad', label: 'Rejected' },
} as const

function RegistrationBadge({ sip }: Pick<CarrierAccount, 'sip'>) {
  if (!sip?.registration) return '–'
  const { state, says } = sip.registration
  const { tone, label } = registrationStates[state]
  return (
    <>
      <Badge tone={tone}>{label}</Badge>
      {says ? <p className="soft">{says}</p> : null}
    </>
  )
}

function Networks({ networks }: { networks: CarrierAccount['networks'] }) {
  if (networks.length === 0) return '–'
  return (
    <ul className="networks">
      {networks.map((one: string | StatedNetwork) => {
        const { network, state } = typeof one === 'string' ? { network: one, state: null } : one
        return (
          <li key={network}>
            <code>{network}</code>{' '}
            {state === null ? null : <Badge tone={states[state].tone}>{states[state].label}</Badge>}
          </li>
        )
      })}
    </ul>
  )
}

function DeleteDialog({ account, onClose }: { account: CarrierAccount | null; onClose: () => void }) {
  const { send, busy, error, clear } = useSend()
  const close = () => {
    clear()
    onClose()
  }
  const remove = async () => {
    if (!account) return
    const query = new URLSearchParams({ account: account.account })
    if (!(await send('delete', `/v1/carrier?${query.toString()}`))) return
    toast('Account deleted.')
    close()
  }
  return (
    <Dialog
      title={`Delete ${account?.label || account?.account || ''}?`}
      open={account !== null}
      onClose={close}
    >
      <p>Its secret is deleted. Its numbers stay routed until you release each one.</p>
      <Refusal error={error} />
      <div className="row end">
        <Button onClick={close}>Cancel</Button>
        <Button tone="danger" busy={busy} onClick={() => void remove()}>
          Delete
        </Button>
      </div>
    </Dialog>
  )
}
