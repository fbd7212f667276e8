import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterwards, temporaryFolder, type Lasting } from '@switchroom/launcher/testing/folders'
import { until } from '@switchroom/launcher/testing/waiting'
import { root } from './launch.ts'

const containerfile = readFileSync(join(root, 'deploy/Containerfile'), 'utf8').replaceAll('\\\n', ' ')
const [, user = ''] = /^USER (\d+):\1$/m.exec(containerfile) ?? []
const uid = Number(user)
/** Behind its user, as a container runtime runs it: no capability, and none to be had. */
const asUser = [
  'setpriv',
  `--reuid=${uid}`,
  `--regid=${uid}`,
  '--clear-groups',
  '--no-new-privs',
  '--bounding-set=-all',
]

/** What the Containerfile says of how the image is run. */
export const image = {
  uid,
  environment: Object.fromEntries(
    Array.from(/^ENV (.*)$/m.exec(containerfile)?.[1]?.matchAll(/(\w+)=(\S+)/g) ?? [], ([, name, value]) => [
      name,
      value,
    ]),
  ) as Record<string, string>,
  entrypoint: wordsOf('ENTRYPOINT'),
  healthCheck: wordsOf('HEALTHCHECK .*CMD'),
  /** The line of its user in /etc/passwd. */
  account: /echo '(.*)' >> \/etc\/passwd/.exec(containerfile)?.[1] ?? '',
}

function wordsOf(instruction: string): string[] {
  const [, words = '[]'] = new RegExp(`^${instruction} (\\[.*\\])$`, 'm').exec(containerfile) ?? []
  return JSON.parse(words) as string[]
}

/** Why no container can be imitated here; false if one can. */
export function whyNoContainers(): string | false {
  const isPossible =
    process.getuid?.() === 0 && spawnSync('unshare', ['--mount', '--pid', '--fork', 'true']).status === 0
  return isPossible ? false : 'needs root and mount namespaces'
}

/** The file tree of the image, collected by the same program as in its build. */
export function collectImage(t: Lasting): string {
  const folder = temporaryFolder(t, process.env['TEST_DISK'])
  chmodSync(folder, 0o755)
  const [layers, tree] = [join(folder, 'layers'), join(folder, 'tree')]
  execFileSync(process.execPath, [join(root, 'tools/collect-image.mjs'), layers])
  mkdirSync(tree)
  for (const layer of ['models', 'packages', 'program'])
    execFileSync('cp', ['-al', `${join(layers, layer)}/.`, tree])
  return tree
}

// A root file system of this machine's libraries and programs and the tree, all of it read-only; exec keeps process 1.
const enter = `
set -e
R=$1; TREE=$2; DATA=$3; shift 3
mount -t tmpfs -o mode=755 tmpfs $R
mkdir -p $R/usr $R/opt/switchroom $R/data $R/tmp $R/proc $R/dev $R/etc
for each in bin lib lib64; do if [ -L /$each ]; then ln -s usr/$each $R/$each; else mkdir $R/$each; mount --bind /$each $R/$each; fi; done
mount --bind /usr $R/usr
mount -o remount,ro,bind $R/usr
mount --bind $TREE $R/opt/switchroom
mount -o remount,ro,bind $R/opt/switchroom
mount --bind $DATA $R/data
mount -t tmpfs -o mode=1777 tmpfs $R/tmp
mount -t proc proc $R/proc
mount -t tmpfs -o mode=755 tmpfs $R/dev
for each in null zero random urandom; do touch $R/dev/$each; mount --bind /dev/$each $R/dev/$each; done
mkdir -m 1777 $R/dev/shm
cp /etc/hosts /etc/resolv.conf $R/etc/ 2>/dev/null || true
echo 'root:x:0:0:root:/root:/bin/sh' > $R/etc/passwd
echo "$ACCOUNT" >> $R/etc/passwd
unset ACCOUNT
mount -o remount,ro $R
cd /
exec /usr/sbin/chroot $R "$@"
`

/** A program of the image as a container runtime would run it, but for the network: that is the machine's. */
export class Container {
  readonly #runtime: ChildProcess
  readonly ended: Promise<number | null>
  #said = ''

  private constructor(runtime: ChildProcess) {
    this.#runtime = runtime
    for (const stream of [runtime.stdout, runtime.stderr])
      stream?.on('data', (piece) => (this.#said += String(piece)))
    this.ended = once(runtime, 'exit').then(([status]) => status as number | null)
  }

  static run(
    t: Lasting,
    tree: string,
    { command, settings = {}, data }: { command: string[]; settings?: Record<string, string>; data?: string },
  ): Container {
    const mount = temporaryFolder(t)
    const volume = data ?? temporaryFolder(t)
    chownSync(volume, uid, uid)
    const script = join(mount, 'enter.sh')
    writeFileSync(script, enter)
    const place = join(mount, 'root')
    mkdirSync(place)
    const words = [
      '/bin/sh',
      script,
      place,
      tree,
      volume,
      ...asUser,
      '/bin/sh',
      '-c',
      'cd /data; exec "$@"',
      'sh',
    ]
    const runtime = spawn(
      'unshare',
      ['--mount', '--pid', '--fork', '--kill-child', ...words, ...image.entrypoint, ...command],
      {
        env: { ...image.environment, ACCOUNT: image.account, ...settings },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    )
    const container = new Container(runtime)
    afterwards(t, async () => {
      runtime.kill('SIGKILL')
      await container.ended
    })
    return container
  }

  /** Everything that it wrote. */
  get said(): string {
    return this.#said
  }

  /** Its first process, as this machine numbers it. */
  get pid(): number | undefined {
    const { pid = 0 } = this.#runtime
    try {
      return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')[0]) || undefined
    } catch {
      return undefined
    }
  }

  async untilSaid(words: RegExp): Promise<void> {
    const look = () => words.test(this.#said) || (this.#runtime.exitCode !== null && 'ended')
    const found = await until(`it says ${words}`, look, 120_000).catch((error: Error) => {
      throw new Error(`${error.message}: ${this.#said}`)
    })
    if (found === 'ended') throw new Error(`it ended: ${this.#said}`)
  }

  /** Runs another program in it, as its health check is run. */
  exec(command: readonly string[]): { status: number | null; output: string } {
    const inside = ['--target', String(this.pid), '--mount', '--pid', '--root', '--wd']
    const { status, stdout, stderr } = spawnSync('nsenter', [...inside, ...asUser, ...command], {
      env: image.environment,
      encoding: 'utf8',
      timeout: 60_000,
    })
    return { status, output: stdout + stderr }
  }

  /** As `docker stop` does; answers the exit status. */
  async stop(): Promise<number | null> {
    const { pid } = this
    if (pid !== undefined) process.kill(pid, 'SIGTERM')
    return this.ended
  }

  /** A line of its first process in /proc. */
  status(name: string): string {
    const text = readFileSync(`/proc/${this.pid}/status`, 'utf8')
    return new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(text)?.[1] ?? ''
  }
}
