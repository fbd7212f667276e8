import { Empty } from './answers.tsx'
import { ButtonLink } from './button.tsx'
import { Page } from './page.tsx'

export function NoSuchPage() {
  return (
    <Page title="There is no such page">
      <Empty title="Nothing is at this address">
        <ButtonLink href="/">Go to the first page</ButtonLink>
      </Empty>
    </Page>
  )
}
