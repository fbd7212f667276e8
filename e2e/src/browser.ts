import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import axe from 'axe-core'
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'
import { root } from './launch.ts'

const program = '/usr/bin/chromium'

/** A real browser, on a console built from these sources. Closed by whoever started it. */
export async function startBrowser(args: string[] = []): Promise<Browser> {
  execFileSync(process.execPath, [join(root, 'tools/build-console.mjs')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (!existsSync(program)) installChromium()
  return chromium.launch({ executablePath: program, args: ['--no-sandbox', ...args] })
}

function installChromium(): void {
  if (process.getuid?.() !== 0)
    throw new Error('The tests in a browser need Chromium: install Debian’s package chromium.')
  execFileSync('apt-get', ['install', '-y', '--no-install-recommends', 'chromium'], { stdio: 'inherit' })
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
  /** What broke in the page so far: thrown errors and what its own policy forbade. */
  broken: string[]
}

/** A tab of a browser that knows nothing of the others. */
export async function openPage(browser: Browser, wanted: PageWanted): Promise<OpenPage> {
  const { url, key, env, width = 1280, colours = 'light', permissions = [] } = wanted
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width, height: width < 600 ? 740 : 800 },
    colorScheme: colours,
    permissions,
    reducedMotion: 'reduce',
  })
  context.setDefaultTimeout(15_000)
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
  nodes: { html: string; target: string[] }[]
}

/** Nobody is shut out of this page: axe finds nothing serious on it. */
export async function assertUsable(page: Page): Promise<void> {
  await page.evaluate(axeSource)
  const issues = (await page.evaluate(
    `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations)`,
  )) as Issue[]
  const serious = issues.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  assert.deepEqual(
    serious.map(({ id, help, nodes }) => `${id}: ${help} at ${nodes.map(({ html }) => html).join(' | ')}`),
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

/** With SCREENSHOTS=<folder>, a picture of the page as it stands, to be looked at. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env['SCREENSHOTS']
  if (folder !== undefined)
    await page.screenshot({ path: join(folder, `${name}-${page.viewportSize()?.width}.png`) })
}
