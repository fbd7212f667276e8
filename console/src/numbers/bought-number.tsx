import type {
  AddressNeed,
  BuyingRequirements,
  NumbersForSale,
  NumberType,
} from '@switchroom/contract/numbers'
import { useId, useState } from 'react'
import { useGet } from '../api/queries.ts'
import { Loaded } from '../ui/feedback.tsx'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Select, TextField } from '../ui/field.tsx'
import { searchPath, type Draft } from './import-request.ts'

interface BoughtNumberProps {
  draft: Draft
  change: (changed: Partial<Draft>) => void
}

const typeLabels: Record<NumberType, string> = {
  local: 'Local',
  mobile: 'Mobile',
  national: 'National',
  'toll-free': 'Toll-free',
}
const types = Object.entries(typeLabels).map(([value, label]) => ({ value, label }))

const unchosen = { chosen: '', needsAddress: 'none' } as const

/** A search among the numbers for sale, the choice, and the papers that its country asks for. */
export function BoughtNumber({ draft, change }: BoughtNumberProps) {
  const path = searchPath(draft)
  const wanted = searchPath({ ...draft, address: '' }) // another address only narrows the same search
  const [searched, setSearched] = useState<string | null>(null)
  return (
    <>
      <div className="fields">
        <TextField
          label="Country"
          value={draft.country}
          onChange={(country) => change({ country, bundle: '', ...unchosen })}
          maxLength={2}
          hint="Two letters, such as US or GB."
        />
        <Select
          label="Type"
          value={draft.type}
          onChange={(type) => change({ type: type as NumberType, bundle: '', ...unchosen })}
          options={types}
        />
        <TextField
          label="Area code"
          value={draft.areaCode}
          onChange={(areaCode) => change({ areaCode, ...unchosen })}
          maxLength={6}
          inputMode="numeric"
          hint="In the US and Canada. Leave empty for any."
        />
        <TextField
          label="Contains"
          value={draft.contains}
          onChange={(contains) => change({ contains, ...unchosen })}
          maxLength={16}
          hint="Digits or letters. Use * for any one. Leave empty for any."
        />
      </div>
      {draft.country.trim().length === 2 ? <Papers draft={draft} change={change} /> : null}
      <div className="row">
        <Button onClick={() => setSearched(wanted)} disabled={wanted === null}>
          Search numbers
        </Button>
      </div>
      {path !== null && searched === wanted ? (
        <Offers path={path} draft={draft} change={change} />
      ) : (
        <p className="soft">Without a search the first available number is bought.</p>
      )}
    </>
  )
}

/** The addresses and bundles of the platform's carrier account, if it has any for these numbers. */
function Papers({ draft, change }: BoughtNumberProps) {
  const kind = new URLSearchParams({ country: draft.country.trim(), type: draft.type })
  const requirements = useGet<BuyingRequirements>(`/v1/numbers/requirements?${kind.toString()}`)
  return (
    <Loaded of={requirements} label="Loading requirements">
      {({ addresses, bundles, regulated }) => (
        <>
          {regulated && !bundles.some(({ approved }) => approved) ? (
            <p className="soft">
              These numbers need an approved bundle, and there is none. Ask the operator to create one in the
              carrier account.
            </p>
          ) : null}
          {addresses.length + bundles.length === 0 ? null : (
            <div className="fields">
              <Select
                label="Address"
                value={draft.address}
                onChange={(address) => change({ address })}
                hint="Some numbers need one. The search lists those that it suffices for."
                options={[
                  { value: '', label: 'None' },
                  ...addresses.map(({ address, name, city, country }) => ({
                    value: address,
                    label: `${name} (${city}, ${country})`,
                  })),
                ]}
              />
              <Select
                label="Bundle"
                value={draft.bundle}
                onChange={(bundle) => change({ bundle })}
                hint={regulated ? 'These numbers need an approved bundle.' : 'These numbers need no bundle.'}
                options={[
                  { value: '', label: 'None' },
                  ...bundles.map(({ bundle, name, approved, status }) => ({
                    value: bundle,
                    label: approved ? name : `${name} (${status})`,
                    disabled: !approved,
                  })),
                ]}
              />
            </div>
          )}
        </>
      )}
    </Loaded>
  )
}

const needLabels: Record<Exclude<AddressNeed, 'none'>, string> = {
  any: 'Needs an address',
  local: 'Needs an address in the country',
  foreign: 'Needs an address abroad',
}

function Offers({ path, draft, change }: BoughtNumberProps & { path: string }) {
  const offers = useGet<NumbersForSale>(path)
  const name = useId()
  return (
    <Loaded of={offers} label="Searching numbers">
      {({ numbers }) =>
        numbers.length === 0 ? (
          <p className="soft" role="status">
            No such number is for sale. Try another type or area code.
          </p>
        ) : (
          <fieldset className="offered">
            <legend>Numbers for sale</legend>
            {numbers.map(({ number, locality, region, needs_address }) => (
              <label key={number} className="offer">
                <input
                  type="radio"
                  name={name}
                  checked={draft.chosen === number}
                  onChange={() => change({ chosen: number, needsAddress: needs_address })}
                />
                <span>
                  <strong>{number}</strong>{' '}
                  <span className="soft">{[locality, region].filter(Boolean).join(', ')}</span>
                </span>
                {needs_address === 'none' ? null : <Badge tone="warn">{needLabels[needs_address]}</Badge>}
              </label>
            ))}
          </fieldset>
        )
      }
    </Loaded>
  )
}
