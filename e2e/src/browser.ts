import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test as plainTest, type TestContext } from 'node:test'
import { missing, pathOf } from '@switchroom/tools/debian-packages'
import { atEndOfProcess } from '@switchroom/tools/end-of-process'
import axe from 'axe-core'
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'
import { root } from './launch.ts'

/** A test in a browser, skipped with a sentence if there is none. */
export function test(name: string, run: (t: TestContext) => Promise<void>): void {
  void plainTest(name, { skip: missing('chromium') }, run)
}

const patienceMs = 30_000
let launched: Promise<Browser> | undefined
atEndOfProcess(async () => (await launched)?.close())

/** One browser for the process, on a console built from these sources, with a fake microphone that speaks. */
async function launch(): Promise<Browser> {
  // In its own process: a blocked event loop would let the gateway and the apps of this process time out.
  const build = spawn(process.execPath, [join(root, 'tools/build-console.mjs')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [status] = (await once(build, 'exit')) as [number | null]
  assert.equal(status, 0, 'the console is built')
  const args = [
    '--no-sandbox',
    '--use-fake-device-for-media-stream',
    '--autoplay-policy=no-user-gesture-required',
  ]
  return chromium.launch({ executablePath: pathOf('chromium'), args })
}

export interface PageWanted {
  /** The gateway's address. */
  url: string
  /** Signs the tab in before its first page. */
  key?: string
  env?: 'sandbox' | 'production'
  width?: number
  colours?: 'light' | 'dark'
  permissions?: string[]
}

export interface OpenPage extends AsyncDisposable {
  page: Page
  context: BrowserContext
  /** Errors of the page so far: thrown ones and violations of its content policy. */
  broken: string[]
}

/** A tab in a browser context of its own. */
export async function openPage(wanted: PageWanted): Promise<OpenPage> {
  const { url, key, env, width = 1280, colours = 'light', permissions = [] } = wanted
  launched ??= launch()
  const browser = await launched
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width, height: width < 600 ? 740 : 800 },
    colorScheme: colours,
    permissions,
    reducedMotion: 'reduce',
  })
  context.setDefaultTimeout(patienceMs)
  if (key !== undefined)
    await context.addInitScript(
      `if (!sessionStorage.getItem('signed')) {
        sessionStorage.setItem('signed', '1')
        sessionStorage.setItem('svc.key', ${JSON.stringify(key)})
        sessionStorage.setItem('svc.env', ${JSON.stringify(env ?? 'sandbox')})
      }`,
    )
  const page = await context.newPage()
  const broken: string[] = []
  page.on('pageerror', (error) => broken.push(error.message))
  page.on('console', (message) => {
    if (
      message.type() === 'error' &&
      /Content Security Policy|Minified React|unique "key"/.test(message.text())
    )
      broken.push(message.text())
  })
  return { page, context, broken, [Symbol.asyncDispose]: () => context.close() }
}

const axeSource = axe.source

interface Issue {
  id: string
  impact: string
  help: string
  nodes: { html: string; failureSummary: string }[]
}

/** axe finds no serious accessibility issue on this page. */
export const assertUsable = (page: Page) => assertAxe(page, {})

/** All text on this page has enough contrast in its current colors. */
export const assertReadable = (page: Page) => assertAxe(page, { runOnly: ['color-contrast'] })

async function assertAxe(page: Page, more: object): Promise<void> {
  if (await page.evaluate(`typeof axe === 'undefined'`)) await page.evaluate(axeSource)
  const options = JSON.stringify({ resultTypes: ['violations'], ...more })
  const issues = (await page.evaluate(
    `axe.run(document, ${options}).then(({ violations }) => violations)`,
  )) as Issue[]
  const serious = issues.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  assert.deepEqual(
    serious.map(
      ({ id, help, nodes }) =>
        `${id}: ${help} at ${nodes.map(({ html, failureSummary }) => `${html} (${failureSummary})`).join(' | ')}`,
    ),
    [],
    page.url(),
  )
}

/** Nothing on the page is wider than the screen. */
export async function assertFits(page: Page): Promise<void> {
  const [wide, screen] = (await page.evaluate(
    `[Math.max(document.documentElement.scrollWidth, document.querySelector('main')?.scrollWidth ?? 0), innerWidth]`,
  )) as [number, number]
  assert.ok(wide <= screen, `${page.url()} is ${wide} px wide on a screen of ${screen}`)
}

const lowPx = 400

/** On a low screen the page scrolls to its end, and no further: the frame stays where it is, with the end in it. */
export async function assertScrolls(page: Page): Promise<void> {
  const size = page.viewportSize()
  if (!size) return
  await page.setViewportSize({ ...size, height: lowPx })
  const end = await page.evaluate<Record<'moved' | 'beyond' | 'blank', number>>(`(async () => {
    const [root, main] = [document.scrollingElement, document.querySelector('main')]
    const isFrame = getComputedStyle(main).overflowY === 'auto'
    if (isFrame) main.scrollTo(0, main.scrollHeight)
    const beyond = isFrame ? root.scrollHeight - innerHeight : 0
    root.scrollTo(0, root.scrollHeight)
    await new Promise(requestAnimationFrame)
    const last = main.lastElementChild.getBoundingClientRect()
    const canScroll = isFrame && main.scrollHeight > main.clientHeight
    const found = {
      moved: isFrame ? root.scrollTop + document.body.scrollTop : 0,
      beyond,
      blank: canScroll ? Math.max(0, Math.floor(innerHeight - last.bottom - 1)) : 0,
    }
    main.scrollTo(0, 0)
    root.scrollTo(0, 0)
    return found
  })()`)
  await page.setViewportSize(size)
  assert.deepEqual(end, { moved: 0, beyond: 0, blank: 0 }, `${page.url()} at ${size.width} px, at its end`)
}

/** With SCREENSHOTS=<folder>, pictures of the whole page in light and dark. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env['SCREENSHOTS']
  const size = page.viewportSize()
  if (folder === undefined || !size) return
  const tall = await page.evaluate<number>(`(document.querySelector('main')?.scrollHeight ?? 0) + 60`)
  await page.setViewportSize({ ...size, height: Math.max(size.height, Math.min(tall, 4000)) })
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.screenshot({ path: join(folder, `${name}-${size.width}-${colorScheme}.png`) })
  }
  await page.setViewportSize(size)
}
