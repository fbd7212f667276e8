import type { OrgDetail } from '@switchroom/contract/orgs'
import { path } from '../api/client.ts'
import { useGet } from '../api/queries.ts'
import { Answered, Progress, Refusal } from '../ui/answers.tsx'
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
      <Answered of={detail}>
        {(standing) => <QuotasForm key={JSON.stringify(standing.quotas)} org={org} standing={standing} />}
      </Answered>
      <AccountForm org={org} />
      <DialLimitsForm org={org} />
    </Page>
  )
}
