import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import {
  assertFits,
  assertReadable,
  assertScrolls,
  assertUsable,
  openPage,
  picture,
  type PageWanted,
} from './browser.ts'

export interface GoodPage {
  path: string
  /** Of its picture. */
  name: string
  /** Settles when everything is there. */
  ready: (page: Page) => Promise<unknown>
}

const wide = { width: 1280, height: 800 }
const narrow = { width: 360, height: 740 }

/** On a wide screen and on a phone, in light and dark: each page fits and is accessible. */
export async function assertGood(wanted: PageWanted, ...pages: GoodPage[]) {
  await using opened = await openPage(wanted)
  const { page } = opened
  for (const [at, { path, name, ready }] of pages.entries()) {
    await page.emulateMedia({ colorScheme: 'light' })
    await page.setViewportSize(wide)
    // As the console's own links go; but a screen reads its own address once.
    const isElsewhere = at > 0 && pathOf(path) !== pathOf(pages[at - 1]?.path ?? '')
    if (isElsewhere) await page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)})`)
    else await page.goto(path)
    await ready(page)
    await assertFits(page)
    await assertUsable(page)
    await assertScrolls(page)
    await page.emulateMedia({ colorScheme: 'dark' })
    await assertReadable(page) // a wide screen shows more in dark than a phone does
    await page.setViewportSize(narrow)
    await assertFits(page)
    await assertUsable(page)
    await assertScrolls(page)
    await picture(page, name)
    await page.setViewportSize(wide)
    await picture(page, name)
  }
  assert.deepEqual(opened.broken, [])
}

const pathOf = (address: string) => address.split('?')[0]
