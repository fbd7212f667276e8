import type { OrgDetail } from '@switchroom/contract/orgs'
import { path } from '../api/client.ts'
import { useGet } from '../api/queries.ts'
import { Loaded, Progress, Refusal } from '../ui/feedback.tsx'
import { Page } from '../ui/page.tsx'
import { AccountForm } from './account-form.tsx'
import { DialLimitsForm } from './dial-limits-form.tsx'
import { OrgMembers } from './org-members.tsx'
import { QuotasForm } from './quotas-form.tsx'

export function OrgScreen({ org }: { org: string }) {
  const detail = useGet<OrgDetail>(path`/v1/ops/orgs/${org}`)
  if (!detail.data)
    return <Page title={org}>{detail.error ? <Refusal error={detail.error} /> : <Progress />}</Page>
  return (
    <Page title={detail.data.name}>
      <OrgMembers org={org} />
      <Loaded of={detail}>
        {(current) => <QuotasForm key={JSON.stringify(current.quotas)} org={org} current={current} />}
      </Loaded>
      <AccountForm org={org} />
      <DialLimitsForm org={org} />
    </Page>
  )
}
