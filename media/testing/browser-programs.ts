import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathOf } from '@switchroom/tools/debian-packages'

export type BrowserProgram = 'chromium' | 'firefox'

const chromiums = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

export const isChromiumInstalled = () => chromiums.some((program) => existsSync(program))

/** Opens a page in a browser without a window, whose profile and microphone are in this folder. */
export const openBrowser = (program: BrowserProgram, folder: string, url: string): Promise<ChildProcess> =>
  program === 'firefox' ? openFirefox(folder, url) : openChromium(folder, url)

async function openChromium(folder: string, url: string): Promise<ChildProcess> {
  const program = chromiums.find((path) => existsSync(path)) ?? 'chromium'
  const flags = [
    '--headless=new',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-dev-shm-usage',
    '--no-first-run',
    '--ignore-certificate-errors',
    '--disable-background-networking',
    '--autoplay-policy=no-user-gesture-required',
    '--use-fake-ui-for-media-stream',
    '--use-fake-device-for-media-stream',
    `--use-file-for-fake-audio-capture=${join(folder, 'microphone.wav')}`,
    `--user-data-dir=${join(folder, 'profile')}`,
  ]
  return spawn(program, [...flags, url], { stdio: 'ignore' })
}

/** Its microphone is not the file but a tone. */
export const firefoxToneHz = 440

const firefoxPreferences = {
  'media.navigator.streams.fake': true,
  'media.navigator.audio.fake_frequency': firefoxToneHz,
  'media.navigator.permission.disabled': true,
  'media.autoplay.default': 0,
  'media.autoplay.blocking_policy': 0,
  'media.peerconnection.ice.loopback': true,
  'media.peerconnection.ice.obfuscate_host_addresses': false,
  'browser.shell.checkDefaultBrowser': false,
  'browser.aboutwelcome.enabled': false,
  'browser.startup.homepage_override.mstone': 'ignore',
  'datareporting.policy.dataSubmissionEnabled': false,
  'datareporting.policy.firstRunURL': '',
  'toolkit.telemetry.reportingpolicy.firstRun': false,
  'app.update.enabled': false,
  'app.normandy.enabled': false,
  'extensions.update.enabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'services.settings.server': 'data:,',
  'browser.safebrowsing.malware.enabled': false,
  'browser.safebrowsing.phishing.enabled': false,
}

async function openFirefox(folder: string, url: string): Promise<ChildProcess> {
  const profile = join(folder, 'profile')
  await mkdir(profile)
  const lines = Object.entries(firefoxPreferences).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
  )
  await writeFile(join(profile, 'user.js'), `${lines.join('\n')}\n`)
  return spawn(pathOf('firefox-esr'), ['--headless', '--no-remote', '--profile', profile, url], {
    stdio: 'ignore',
    env: { ...process.env, HOME: folder, MOZ_DISABLE_CONTENT_SANDBOX: '1' },
    detached: true, // it has children of its own, which are ended with it
  })
}

/** Ends it with whatever it has started, without a goodbye. */
export function killBrowser(browser: ChildProcess): void {
  try {
    if (browser.spawnargs.includes('--profile') && browser.pid !== undefined)
      process.kill(-browser.pid, 'SIGKILL')
    else browser.kill('SIGKILL')
  } catch {
    // it is over
  }
}
