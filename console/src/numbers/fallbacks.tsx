import type { CarrierList } from '@switchroom/contract/carriers'
import { mostFallbacks, type NumberEntry, type NumberFallbacks } from '@switchroom/contract/numbers'
import { useState } from 'react'
import { path } from '../api/client.ts'
import { useGet, useSend } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { Refusal } from '../ui/feedback.tsx'
import { Select } from '../ui/field.tsx'
import { Section } from '../ui/page.tsx'
import { toast } from '../ui/toast.tsx'

/** The accounts that calls from a number go out through if its own cannot carry them. */
export function Fallbacks({ entry }: { entry: NumberEntry }) {
  const { data } = useGet<CarrierList>('/v1/carriers')
  const { send, busy, error } = useSend()
  const [chosen, setChosen] = useState('')
  const { route, account, fallback_accounts } = entry
  if (route.channel !== 'phone' || account === null || entry.origin !== 'imported') return null
  const names = new Map(data?.carriers.map((one) => [one.account, one.label || one.account]))
  const free = (data?.carriers ?? []).filter(
    (one) => one.kind !== 'msgapp' && one.account !== account && !fallback_accounts.includes(one.account),
  )
  const put = async (accounts: string[], done: string) => {
    const at = path`/v1/numbers/${route.number}/fallbacks`
    if (!(await send<NumberFallbacks>('put', at, { accounts }))) return
    setChosen('')
    toast(done)
  }
  const remove = (gone: string) =>
    put(
      fallback_accounts.filter((one) => one !== gone),
      'Fallback account removed.',
    )
  return (
    <Section
      title="Outbound calls"
      hint="A call goes out through the first account that can carry it. The next one is tried only if nobody was reached."
    >
      <ol className="wrap-anywhere" aria-label="Accounts in the order they are tried">
        <li>{names.get(account) ?? account}</li>
        {fallback_accounts.map((one) => (
          <li key={one}>
            {names.get(one) ?? one}{' '}
            <Button
              busy={busy}
              aria-label={`Remove ${names.get(one) ?? one}`}
              onClick={() => void remove(one)}
            >
              Remove
            </Button>
          </li>
        ))}
      </ol>
      <Refusal error={error} />
      {free.length === 0 || fallback_accounts.length >= mostFallbacks ? null : (
        <div className="row end">
          <Select
            label="Fallback account"
            value={chosen}
            onChange={setChosen}
            options={[
              { value: '', label: 'Choose an account' },
              ...free.map((one) => ({ value: one.account, label: one.label || one.account })),
            ]}
          />
          <Button
            busy={busy}
            disabled={chosen === ''}
            onClick={() => void put([...fallback_accounts, chosen], 'Fallback account added.')}
          >
            Add
          </Button>
        </div>
      )}
    </Section>
  )
}
