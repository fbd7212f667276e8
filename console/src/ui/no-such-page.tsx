import { Empty } from './feedback.tsx'
import { ButtonLink } from './button.tsx'
import { Page } from './page.tsx'

export function NoSuchPage() {
  return (
    <Page title="Page not found">
      <Empty title="This address does not exist">
        <ButtonLink href="/">Go to the home page</ButtonLink>
      </Empty>
    </Page>
  )
}
