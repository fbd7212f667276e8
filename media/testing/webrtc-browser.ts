import type { ChildProcess } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type BrowserProgram, isChromiumInstalled, killBrowser, openBrowser } from './browser-programs.ts'

const longestWaitMs = 60_000

/** What the page found out, as it goes. */
export interface Told {
  state?: string
  /** The loudest frequency in what it hears, unless it has no sound card to find out with. */
  hz?: number
  /** In dB. */
  level?: number
  /** How many packets of ours were sent to it, by our own reports. */
  reported?: number
  failed?: string
  /** What a page of a test's own found out. */
  page?: Record<string, unknown>
}

/**
 * A real browser that calls: its page takes the microphone, makes an offer, hands it over and plays the answer. The
 * microphone is a file, which begins anew when it is over.
 */
export class BrowserCaller {
  readonly told: Told[] = []
  origin = ''
  readonly #http: Server
  readonly #folder: string
  readonly #page: string
  #browser: ChildProcess | undefined
  #wake: (() => void)[] = []
  #orders: string[] = []
  #asking: ServerResponse | undefined

  private constructor(folder: string, answer: (offer: string) => Promise<string>, html: string) {
    this.#folder = folder
    this.#page = html
    this.#http = createServer((request, reply) => {
      this.#serve(request, reply, answer).catch((error: unknown) => reply.writeHead(500).end(String(error)))
    })
  }

  static get isInstalled(): boolean {
    return isChromiumInstalled()
  }

  static async call(
    microphone: Int16Array,
    answer: (offer: string) => Promise<string>,
    /** What its `RTCPeerConnection` is made with. */
    connection: object = {},
    program: BrowserProgram = 'chromium',
  ): Promise<BrowserCaller> {
    return BrowserCaller.#open(microphone, answer, page.replace('{}', JSON.stringify(connection)), program)
  }

  /** Opens a page of the test's own, which tells at `/told` and takes its orders from `/orders`. */
  static openPage(microphone: Int16Array, html: string, program: BrowserProgram): Promise<BrowserCaller> {
    const answer = () => Promise.reject(new Error('the page makes its own offer'))
    return BrowserCaller.#open(microphone, answer, html, program)
  }

  static async #open(
    microphone: Int16Array,
    answer: (offer: string) => Promise<string>,
    html: string,
    program: BrowserProgram,
  ): Promise<BrowserCaller> {
    const folder = await mkdtemp(join(tmpdir(), 'switchroom-browser-'))
    const caller = new BrowserCaller(folder, answer, html)
    await caller.#record(microphone)
    await new Promise<void>((resolve) => caller.#http.listen(0, '127.0.0.1', resolve))
    const { port } = caller.#http.address() as AddressInfo
    caller.origin = `http://127.0.0.1:${port}`
    caller.#browser = await openBrowser(program, folder, `${caller.origin}/`)
    return caller
  }

  /** Waits for a report of the page that `isThere` accepts, after the first `since` reports. */
  async until(isThere: (told: Told) => boolean, since = 0): Promise<void> {
    const overMs = performance.now() + longestWaitMs
    while (!this.told.slice(since).some(isThere)) {
      if (performance.now() > overMs)
        throw new Error(`the page told only ${JSON.stringify(this.told.slice(-5))}`)
      const failed = this.told.find(({ failed: why }) => why !== undefined)
      if (failed) throw new Error(failed.failed)
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#wake.push(resolve)
      await Promise.race([promise, pause(1000, undefined, { ref: false })])
    }
  }

  /** Has it take another microphone, which begins with this. */
  async speak(microphone: Int16Array): Promise<void> {
    await this.#record(microphone)
    this.order('speak')
  }

  async #record(microphone: Int16Array): Promise<void> {
    await writeFile(join(this.#folder, 'microphone.wav'), wavOf(microphone, 48_000))
  }

  /** `press 5#`, `restart` (of ICE), `reports` (tells what we reported), `leave` (the page) or `close`. */
  order(what: string): void {
    this.#orders.push(what)
    this.#answerOrder()
  }

  kill(): void {
    if (this.#browser) killBrowser(this.#browser)
  }

  async stop(): Promise<void> {
    const gone = new Promise((resolve) => this.#browser?.once('exit', resolve))
    if (this.#browser && this.#browser.exitCode === null && this.#browser.signalCode === null) {
      this.kill()
      await gone
    }
    this.#http.closeAllConnections()
    await new Promise((resolve) => this.#http.close(resolve))
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 })
  }

  async #serve(request: IncomingMessage, reply: ServerResponse, answer: (offer: string) => Promise<string>) {
    if (request.url === '/') reply.setHeader('content-type', 'text/html').end(this.#page)
    else if (request.url === '/offer') reply.end(await answer(await textOf(request)))
    else if (request.url === '/orders') {
      this.#asking = reply
      this.#answerOrder()
    } else if (request.url === '/told') {
      this.told.push(JSON.parse(await textOf(request)) as Told)
      for (const wake of this.#wake.splice(0)) wake()
      reply.end()
    } else reply.writeHead(404).end()
  }

  #answerOrder(): void {
    if (!this.#asking || this.#orders.length === 0) return
    this.#asking.end(this.#orders.shift())
    this.#asking = undefined
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const piece of request.setEncoding('utf8')) text += String(piece)
  return text
}

function wavOf(samples: Int16Array, sampleRate: number): Buffer {
  const header = Buffer.alloc(44)
  header.write('RIFF', 0)
  header.writeUInt32LE(36 + samples.length * 2, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(sampleRate, 24)
  header.writeUInt32LE(sampleRate * 2, 28)
  header.writeUInt16LE(2, 32)
  header.writeUInt16LE(16, 34)
  header.write('data', 36)
  header.writeUInt32LE(samples.length * 2, 40)
  return Buffer.concat([header, Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength)])
}

const page = `<!doctype html><title>caller</title><script type="module">
const post = (path, body) => fetch(path, { method: 'POST', body })
const tell = (told) => post('/told', JSON.stringify(told))
const connection = new RTCPeerConnection({})
let sender
try {
  connection.onconnectionstatechange = () => tell({ state: connection.connectionState })
  sender = connection.addTrack(await microphone())
  connection.ontrack = ({ track }) => listen(new MediaStream([track]))
  addEventListener('pagehide', () => connection.close())
  await offer()
  for (;;) {
    const order = await (await fetch('/orders')).text()
    if (order === 'close') connection.close()
    if (order === 'reports') tell({ reported: await reported() })
    if (order === 'leave') location.href = 'about:blank'
    if (order === 'restart') {
      const oldWay = await chosenWay()
      connection.restartIce()
      await offer()
      for (let way = oldWay; way === oldWay || way === undefined; way = await chosenWay())
        await new Promise((resolve) => setTimeout(resolve, 50))
      tell({ state: 'restarted' })
    }
    if (order === 'speak') {
      sender.track.stop()
      await sender.replaceTrack(await microphone())
    }
    if (order.startsWith('press ')) sender.dtmf.insertDTMF(order.slice(6), 100, 70)
  }
} catch (error) {
  tell({ failed: String(error) })
}
async function reported() {
  const stats = [...(await connection.getStats()).values()]
  return stats.find(({ type }) => type === 'remote-outbound-rtp')?.packetsSent ?? 0
}
async function chosenWay() {
  const ice = sender.transport.iceTransport
  if (ice.getSelectedCandidatePair) return ice.getSelectedCandidatePair()?.local.usernameFragment
  const reports = [...(await connection.getStats()).values()]
  return reports.find(({ type, selected }) => type === 'candidate-pair' && selected)?.id
}
async function offer() {
  await connection.setLocalDescription()
  const answer = await post('/offer', connection.localDescription.sdp)
  if (!answer.ok) throw new Error(await answer.text())
  await connection.setRemoteDescription({ type: 'answer', sdp: await answer.text() })
}
async function microphone() {
  const constraints = { echoCancellation: false, noiseSuppression: false, autoGainControl: false }
  const stream = await navigator.mediaDevices.getUserMedia({ audio: constraints })
  return stream.getAudioTracks()[0]
}
function listen(stream) {
  const player = new Audio()
  player.srcObject = stream
  player.play()
  const context = new AudioContext({ sampleRate: 48000 })
  const analyser = new AnalyserNode(context, { fftSize: 4096, smoothingTimeConstant: 0 })
  context.createMediaStreamSource(stream).connect(analyser)
  const levels = new Float32Array(analyser.frequencyBinCount)
  setInterval(async () => {
    if (context.state !== 'running') {
      const heard = [...(await connection.getStats()).values()].find(({ type }) => type === 'inbound-rtp')
      return tell({ level: 20 * Math.log10(heard?.audioLevel || 1e-10) })
    }
    analyser.getFloatFrequencyData(levels)
    const loudest = levels.indexOf(Math.max(...levels))
    tell({ hz: (loudest * 48000) / 4096, level: Number.isFinite(levels[loudest]) ? levels[loudest] : -200 })
  }, 100)
}
</script>`
