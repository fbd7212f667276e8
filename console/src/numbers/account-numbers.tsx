import type { CarrierList } from '@switchroom/contract/carriers'
import type { AvailableNumbers } from '@switchroom/contract/numbers'
import { useId } from 'react'
import { Link } from 'wouter'
import { useGet } from '../api/queries.ts'
import { Loaded, Empty } from '../ui/feedback.tsx'
import { Badge } from '../ui/badge.tsx'
import { Select, TextField } from '../ui/field.tsx'
import type { Draft } from './import-request.ts'
import { kindName } from './number-labels.ts'

interface AccountNumbersProps {
  draft: Draft
  change: (changed: Partial<Draft>) => void
}

/** A choice of the numbers in the org's accounts; a SIP peer does not list its numbers. */
export function AccountNumbers({ draft, change }: AccountNumbersProps) {
  const accounts = useGet<CarrierList>('/v1/carriers')
  return (
    <Loaded of={accounts} label="Loading accounts">
      {({ carriers }) =>
        carriers.length === 0 ? (
          <Empty title="No carrier account yet">
            <p>
              <Link href="/numbers/carriers">Add an account</Link> to list its numbers here.
            </p>
          </Empty>
        ) : (
          <>
            <NumberChoice draft={draft} change={change} />
            <div className="fields">
              <TextField
                label="Number"
                type="tel"
                value={draft.number}
                onChange={(number) => change({ number })}
                placeholder="+15550100100"
                hint="Select a number above, or enter a number or an extension, such as 201, that your SIP peer sends."
              />
              <Select
                label="Account"
                value={draft.account || (carriers.length === 1 ? (carriers[0]?.account ?? '') : '')}
                onChange={(account) =>
                  change({
                    account,
                    channel: carriers.some((one) => one.account === account && one.kind === 'msgapp')
                      ? 'msgapp'
                      : 'phone',
                  })
                }
                options={[
                  ...(carriers.length === 1 ? [] : [{ value: '', label: 'Select an account' }]),
                  ...carriers.map(({ account, label, kind }) => ({
                    value: account,
                    label: `${label || account} (${kindName(kind)})`,
                  })),
                ]}
              />
            </div>
          </>
        )
      }
    </Loaded>
  )
}

function NumberChoice({ draft, change }: AccountNumbersProps) {
  const available = useGet<AvailableNumbers>('/v1/numbers/available')
  const accounts = useGet<CarrierList>('/v1/carriers')
  const name = useId()
  const kindOf = (account: string) => accounts.data?.carriers.find((one) => one.account === account)?.kind
  return (
    <Loaded of={available} label="Loading numbers">
      {({ numbers }) =>
        numbers.length === 0 ? (
          <p className="soft">These accounts list no numbers. Enter the number that is sent here.</p>
        ) : (
          <fieldset className="offered">
            <legend>Numbers in your accounts</legend>
            {numbers.map(({ number, name: called, imported, account }) =>
              number === null ? (
                <p key={account} className="soft">
                  {account}: WhatsApp did not report its number. Enter its access token again.
                </p>
              ) : (
                <label key={`${account} ${number}`} className="offer">
                  <input
                    type="radio"
                    name={name}
                    checked={draft.number === number && draft.account === account}
                    onChange={() =>
                      change({ number, account, channel: kindOf(account) === 'msgapp' ? 'msgapp' : 'phone' })
                    }
                  />
                  <span>
                    <strong>{number}</strong>{' '}
                    {called && called !== number ? <span className="soft">{called}</span> : null}
                  </span>
                  {imported ? <Badge tone="good">Imported</Badge> : null}
                </label>
              ),
            )}
          </fieldset>
        )
      }
    </Loaded>
  )
}
