import type { CarrierAccount, CarrierList, StatedNetwork } from '@switchroom/contract/carriers'
import { useState } from 'react'
import { Link } from 'wouter'
import { useGet, useSend } from '../api/queries.ts'
import { Answered, Empty, Refusal } from '../ui/answers.tsx'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Page } from '../ui/page.tsx'
import { Table } from '../ui/table.tsx'
import { toast } from '../ui/toast.tsx'
import { CarrierForm } from './carrier-form.tsx'
import { NumberTabs } from './number-tabs.tsx'
import { kindName } from './number-labels.ts'
import './numbers.css'

/** The org's accounts at carriers and at the messaging platform. */
export function Carriers() {
  const accounts = useGet<CarrierList>('/v1/carriers', { everyMs: 30_000 })
  const [edited, setEdited] = useState<CarrierAccount | 'new' | null>(null)
  const [forgotten, setForgotten] = useState<CarrierAccount | null>(null)
  const actions = (account: CarrierAccount) => (
    <div className="row">
      <Button onClick={() => setEdited(account)} aria-label={`Change ${account.label || account.account}`}>
        Change
      </Button>
      <Button
        tone="danger"
        onClick={() => setForgotten(account)}
        aria-label={`Forget ${account.label || account.account}`}
      >
        Forget
      </Button>
    </div>
  )
  return (
    <Page
      title="Carriers"
      actions={
        <Button tone="primary" onClick={() => setEdited('new')}>
          Add an account
        </Button>
      }
    >
      <NumberTabs current="/numbers/carriers" />
      <Answered of={accounts} label="Reading the accounts">
        {({ carriers }) => (
          <Table
            caption="Carrier accounts"
            rows={carriers}
            rowKey={({ account }) => account}
            columns={[
              { title: 'Account', cell: nameOf },
              { title: 'Kind', cell: ({ kind }) => kindName(kind) },
              { title: 'Calls come from', cell: ({ networks }) => <Networks networks={networks} /> },
              { title: '', cell: actions },
            ]}
            empty={
              <Empty title="No account at a carrier yet">
                <p>
                  Add the one that owns your numbers. Without one you can still{' '}
                  <Link href="/numbers/import">point a number here yourself</Link>.
                </p>
              </Empty>
            }
          />
        )}
      </Answered>
      <Dialog
        title={edited === 'new' ? 'Add an account' : 'Change the account'}
        open={edited !== null}
        onClose={() => setEdited(null)}
      >
        {edited === null ? null : (
          <CarrierForm account={edited === 'new' ? null : edited} onDone={() => setEdited(null)} />
        )}
      </Dialog>
      <Forgetting account={forgotten} onClose={() => setForgotten(null)} />
    </Page>
  )
}

const nameOf = ({ label, account }: CarrierAccount) => (
  <span className="wrap-anywhere">
    {label || account}
    {label && label !== account ? <code className="account-id soft">{account}</code> : null}
  </span>
)

const tones = { approved: 'good', waiting: 'warn', refused: 'bad' } as const

function Networks({ networks }: { networks: CarrierAccount['networks'] }) {
  if (networks.length === 0) return '–'
  return (
    <ul className="networks">
      {networks.map((one: string | StatedNetwork) => {
        const { network, state } = typeof one === 'string' ? { network: one, state: null } : one
        return (
          <li key={network}>
            <code>{network}</code> {state === null ? null : <Badge tone={tones[state]}>{state}</Badge>}
          </li>
        )
      })}
    </ul>
  )
}

function Forgetting({ account, onClose }: { account: CarrierAccount | null; onClose: () => void }) {
  const { send, busy, error, clear } = useSend()
  const close = () => {
    clear()
    onClose()
  }
  const forget = async () => {
    if (!account) return
    const query = new URLSearchParams({ account: account.account })
    if (!(await send('delete', `/v1/carrier?${query.toString()}`))) return
    toast('The account is forgotten')
    close()
  }
  return (
    <Dialog
      title={`Forget ${account?.label || account?.account || ''}?`}
      open={account !== null}
      onClose={close}
    >
      <p>Its secret is removed. Numbers that came from it stay routed until each is let go.</p>
      <Refusal error={error} />
      <div className="row end">
        <Button onClick={close}>Keep it</Button>
        <Button tone="danger" busy={busy} onClick={() => void forget()}>
          Forget it
        </Button>
      </div>
    </Dialog>
  )
}
