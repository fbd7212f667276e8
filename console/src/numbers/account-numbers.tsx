import type { CarrierList } from '@switchroom/contract/carriers'
import type { AvailableNumbers } from '@switchroom/contract/numbers'
import { useId } from 'react'
import { Link } from 'wouter'
import { useGet } from '../api/queries.ts'
import { Answered, Empty } from '../ui/answers.tsx'
import { Badge } from '../ui/badge.tsx'
import { Select, TextField } from '../ui/field.tsx'
import type { Draft } from './import-request.ts'
import { kindName } from './number-labels.ts'

interface AccountNumbersProps {
  draft: Draft
  change: (changed: Partial<Draft>) => void
}

/** The numbers that the org's accounts own, to choose one; a SIP peer cannot be asked what it sends. */
export function AccountNumbers({ draft, change }: AccountNumbersProps) {
  const accounts = useGet<CarrierList>('/v1/carriers')
  return (
    <Answered of={accounts} label="Reading the accounts">
      {({ carriers }) =>
        carriers.length === 0 ? (
          <Empty title="No carrier account yet">
            <p>
              <Link href="/numbers/carriers">Add one</Link>, and its numbers are listed here.
            </p>
          </Empty>
        ) : (
          <>
            <Offered draft={draft} change={change} />
            <div className="fields">
              <TextField
                label="Number"
                type="tel"
                value={draft.number}
                onChange={(number) => change({ number })}
                placeholder="+15550100100"
                hint="Chosen above, or typed in where a SIP peer sends it."
              />
              <Select
                label="Account"
                value={draft.account}
                onChange={(account) =>
                  change({
                    account,
                    channel: carriers.some((one) => one.account === account && one.kind === 'msgapp')
                      ? 'msgapp'
                      : 'phone',
                  })
                }
                options={[
                  {
                    value: '',
                    label: carriers.length === 1 ? 'The only one' : 'Choose where there are several',
                  },
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
    </Answered>
  )
}

function Offered({ draft, change }: AccountNumbersProps) {
  const available = useGet<AvailableNumbers>('/v1/numbers/available')
  const accounts = useGet<CarrierList>('/v1/carriers')
  const name = useId()
  const kindOf = (account: string) => accounts.data?.carriers.find((one) => one.account === account)?.kind
  return (
    <Answered of={available} label="Asking the carriers">
      {({ numbers }) =>
        numbers.length === 0 ? (
          <p className="soft">The accounts list no numbers of their own: type the one that is sent here.</p>
        ) : (
          <fieldset className="offered">
            <legend>Numbers of your accounts</legend>
            {numbers.map(({ number, name: called, imported, account }) =>
              number === null ? (
                <p key={account} className="soft">
                  {account}: the messaging platform did not tell its number; put its access token again.
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
                  {imported ? <Badge tone="good">leads here already</Badge> : null}
                </label>
              ),
            )}
          </fieldset>
        )
      }
    </Answered>
  )
}
