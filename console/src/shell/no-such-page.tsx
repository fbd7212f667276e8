import { Empty } from '../ui/answers.tsx'
import { ButtonLink } from '../ui/button.tsx'
import { Page } from '../ui/page.tsx'

export function NoSuchPage() {
  return (
    <Page title="There is no such page">
      <Empty title="Nothing is at this address">
        <ButtonLink href="/">Go to the first page</ButtonLink>
      </Empty>
    </Page>
  )
}
