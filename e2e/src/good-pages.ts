import assert from 'node:assert/strict'
import type { Browser, Page } from 'playwright-core'
import { assertFits, assertUsable, openPage, picture, type PageWanted } from './browser.ts'

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
export async function assertGood(browser: Browser, wanted: PageWanted, ...pages: GoodPage[]) {
  for (const look of looks) {
    await using opened = await openPage(browser, { ...wanted, ...look })
    for (const { path, name, ready } of pages) {
      await opened.page.goto(path)
      await ready(opened.page)
      await assertFits(opened.page)
      await assertUsable(opened.page)
      await picture(opened.page, name)
    }
    assert.deepEqual(opened.broken, [])
  }
}
