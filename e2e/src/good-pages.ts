import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { assertFits, assertReadable, assertUsable, openPage, picture, type PageWanted } from './browser.ts'

export interface GoodPage {
  path: string
  /** Of its picture. */
  name: string
  /** Settles when everything is there. */
  ready: (page: Page) => Promise<unknown>
}

const looks = [
  { width: 1280, colours: 'light' },
  { width: 360, colours: 'dark' },
] as const

/** On a wide screen and on a telephone, in light and in dark: each page fits, and nobody is shut out of it. */
export async function assertGood(wanted: PageWanted, ...pages: GoodPage[]) {
  for (const look of looks) {
    await using opened = await openPage({ ...wanted, ...look })
    const { page } = opened
    for (const { path, name, ready } of pages) {
      await page.goto(path)
      await ready(page)
      await assertFits(page)
      await assertUsable(page)
      if (look.colours === 'light') {
        // A wide screen shows more in dark than a telephone does.
        await page.emulateMedia({ colorScheme: 'dark' })
        await assertReadable(page)
        await page.emulateMedia({ colorScheme: 'light' })
      }
      await picture(page, name)
    }
    assert.deepEqual(opened.broken, [])
  }
}
