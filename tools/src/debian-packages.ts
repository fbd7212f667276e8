import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** What some tests drive, by the program and its Debian package. */
const packages = {
  sipp: 'sip-tester',
  chromium: 'chromium',
  'firefox-esr': 'firefox-esr',
  ffmpeg: 'ffmpeg',
  turnserver: 'coturn',
  baresip: 'baresip',
  linphonec: 'linphone-cli',
  'asterisk-sounds': 'asterisk-core-sounds-en-wav',
  openssl: 'openssl',
  'redis-server': 'redis-server',
  pgbouncer: 'pgbouncer',
  prometheus: 'prometheus',
  promtool: 'prometheus',
  pg_dump: 'postgresql',
  nginx: 'nginx-light',
  haproxy: 'haproxy',
  caddy: 'caddy',
} as const
export type TestProgram = keyof typeof packages

/** Recordings of a person, sentence by sentence. */
const sounds = '/usr/share/asterisk/sounds/en_US_f_Allison'

const elsewhere: Partial<Record<TestProgram, string>> = {
  'asterisk-sounds': sounds,
  pgbouncer: '/usr/sbin/pgbouncer',
  nginx: '/usr/sbin/nginx',
  haproxy: '/usr/sbin/haproxy',
}

export const pathOf = (program: TestProgram) => elsewhere[program] ?? `/usr/bin/${program}`

/** Why a test that needs it is skipped; false if it runs. */
export const missing = (program: TestProgram): string | false =>
  existsSync(pathOf(program)) ? false : `needs ${program}: apt-get install ${packages[program]}`

/** Installs what is missing if that can be done: as root, on a machine with apt. */
export function installMissing(tell: (sentence: string) => void) {
  const wanted = (Object.keys(packages) as TestProgram[]).filter((program) => missing(program) !== false)
  if (wanted.length === 0) return
  const names = [...new Set(wanted.map((program) => packages[program]))]
  if (process.getuid?.() === 0 && hasApt()) {
    tell(`Installing ${names.join(' and ')} for the tests that need them`)
    if (!install(names)) {
      apt('update')
      if (!install(names)) for (const name of names) install([name]) // one that cannot be had keeps no other away
    }
  }
  for (const program of wanted) {
    const why = missing(program)
    if (why !== false) tell(`Some tests are skipped: they ${why.replace('needs', 'need')}`)
  }
}

const hasApt = () => spawnSync('apt-get', ['--version'], { stdio: 'ignore' }).status === 0

const install = (names: readonly string[]) => apt('install', '-y', '--no-install-recommends', ...names)

const apt = (...words: string[]) =>
  spawnSync('apt-get', ['-qq', ...words], {
    stdio: 'ignore',
    timeout: 600_000,
    // in a runlevel in which Debian starts no services
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' },
  }).status === 0
