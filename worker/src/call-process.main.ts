import type { Socket } from 'node:dgram'
import { findVendors } from '@switchroom/kit/installed'
import { keepConnections } from '@switchroom/kit/kept-connections'
import { MediaError } from '@switchroom/media/plane'
import { bridge } from '@switchroom/media/sound/bridge'
import { answerOffer } from '@switchroom/media/webrtc/answer-offer'
import type { BrowserLeg } from '@switchroom/media/webrtc/browser-leg'
import type { OpenedWorkerCall } from '@switchroom/contract/worker'
import type { Leg } from '@switchroom/media/leg'
import { openLog } from '@switchroom/process/logging'
import { startTelemetry } from '@switchroom/process/telemetry'
import { placeOf, runAt } from '@switchroom/telemetry/tracing'
import { GatewayClient } from './gateway-client.ts'
import { borrowVendors } from './processes/lent-vendors.ts'
import { watchLoopDelay } from './processes/loop-delay.ts'
import { ProcessLegs } from './processes/process-legs.ts'
import type { CallTask, FromProcess, ToProcess } from './process-messages.ts'
import { warmUp, warmVendors } from './processes/warm-up.ts'
import { readSettings } from './settings.ts'
import { SpokenCall, type SpokenCallParts } from './call/spoken-call.ts'
import { UnsentRecordings } from './call/unsent-recordings.ts'
import { withoutKeypad } from './call/without-keypad.ts'

// A process that runs a few calls. Its worker forks it, does the signalling, and notices when the process dies.

/** Of connections to vendors: longer than most callers speak and think. */
const keptMs = 60_000

keepConnections(keptMs)
const settings = readSettings(process.env)
const log = openLog(settings.logLevel, 4_000)
const gateway = new GatewayClient(settings, process.argv[2] ?? '')
const logger = log.logger.child({ worker: gateway.worker })
const vendors = findVendors(settings.vendorFolders)
const unsentRecordings = new UnsentRecordings({ folder: settings.unsentRecordings, gateway, logger })
const calls = new Map<string, SpokenCall>()

// that the worker is gone is noticed by 'disconnect'
const send = (message: FromProcess) => void process.send?.(message, undefined, undefined, () => {})
const legs = new ProcessLegs(send)
watchLoopDelay(
  () => calls.size > 0,
  (longestMs) => send({ type: 'process.delay', longestMs }),
)

process.on('message', (message: ToProcess, socket?: Socket) => {
  if (message.type === 'run') void runTask(message.task)
  else if (message.type === 'warm') void warmVendors(vendors, logger)
  else if (message.type === 'call.end') calls.get(message.call)?.end('failed', 'its room was closed')
  else if (message.type === 'end') for (const call of calls.values()) call.end('failed', 'the worker stops')
  else legs.take(message, socket)
})

// Without its worker no hang-up reaches the phone: the gateway ends the calls that are left.
process.on('disconnect', () => void leave())
// A terminal sends these to the whole process group: the worker decides what to do.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
process.on('unhandledRejection', (error) => logger.error({ err: error }, 'unhandled rejection'))
process.on('uncaughtException', (error) => {
  logger.fatal({ err: error }, 'uncaught exception')
  log.flush()
  process.exit(1)
})
const telemetry = await startTelemetry('switchroom-worker', process.env, logger)
await borrowVendors(vendors, process.argv[3] ?? '')
await warmUp({
  gateway,
  vendors,
  logger,
  loadRooms: async () => {
    if (Object.keys(settings.mediaServers).length > 0) await import('./livekit/livekit-call.ts')
  },
  usesMachine: process.argv[4] === 'machine',
})
if (process.connected) send({ type: 'ready' })
else process.exit(0) // the worker is gone

async function leave() {
  await telemetry?.stop()
  process.exit(0)
}

async function runTask(task: CallTask) {
  const id = callOf(task)
  try {
    if (task.kind === 'room') {
      const { RoomCalls } = await import('./livekit/livekit-call.ts') // most processes never see a room
      const sentence = legs.sentence.bind(legs)
      await new RoomCalls({ gateway, logger, sentence, run: runCall }).run(task)
    } else if (task.kind === 'phone') {
      const leg = await legs.answered(task.leg, task.terms)
      await runCall(task.opened, leg, task.endsAt)
    } else {
      const answered = await answerBrowser(task.offer)
      if (!answered) return
      const { opened, leg } = answered
      await runCall(opened, withoutKeypad(leg), null, { reconnect: () => reconnectBrowser(id, leg) })
    }
  } catch (error) {
    logger.error({ err: error, call: id }, 'a call could not be run')
    if (task.kind === 'phone') send({ type: 'leg.hangUp', leg: task.leg })
    await endUnrun(id)
  } finally {
    send({ type: 'call.over', call: id })
  }
}

function callOf(task: CallTask): string {
  if (task.kind === 'room') return task.call
  return task.kind === 'phone' ? task.opened.call : task.offer.call
}

async function runCall(
  opened: OpenedWorkerCall,
  leg: Leg,
  endsAt: number | null,
  means: Partial<Pick<SpokenCallParts, 'dial' | 'join' | 'reconnect'>> = {},
) {
  await runAt(placeOf(opened.traceparent), () => runOpened(opened, leg, endsAt, means))
}

async function runOpened(
  opened: OpenedWorkerCall,
  leg: Leg,
  endsAt: number | null,
  means: Partial<Pick<SpokenCallParts, 'dial' | 'join' | 'reconnect'>>,
) {
  const call = new SpokenCall(
    {
      gateway,
      vendors,
      logger,
      leg,
      dial: (dial, signal) => legs.dial(opened.call, dial, signal),
      join: bridge,
      ...means,
      tellLanguage: (language) => send({ type: 'call.language', call: opened.call, language }),
      tellVendors: (onMachine) => send({ type: 'call.vendors', call: opened.call, onMachine }),
      idleTimeoutMs: settings.idleTimeoutMs,
      recordingFormat: settings.recordingFormat,
      unsentRecordings,
    },
    opened,
    endsAt,
  )
  calls.set(opened.call, call)
  try {
    await call.run()
  } finally {
    calls.delete(opened.call)
  }
}

/** Undefined if the browser cannot be answered: it got the reason. */
async function answerBrowser({ call, sdp: offered }: Extract<CallTask, { kind: 'browser' }>['offer']) {
  const opened = await gateway.openCall({ call })
  try {
    const { sdp, leg } = await answerOffer(offered, {
      publicAddress: settings.mediaAddress,
      portRange: [settings.mediaPorts.first, settings.mediaPorts.last],
    })
    await gateway.answerOffer(call, { sdp }).catch(async (error: unknown) => {
      await leg.hangUp() // no call runs for a browser that still connects
      throw error
    })
    return { opened, leg }
  } catch (error) {
    if (!(error instanceof MediaError)) throw error
    await gateway.answerOffer(call, { refused: error.message })
    await endUnrun(call)
    return undefined
  }
}

async function reconnectBrowser(call: string, leg: BrowserLeg) {
  const { sdp, reconnect } = await gateway.reconnectOf(call)
  try {
    await gateway.answerOffer(call, { sdp: leg.reconnect(sdp), reconnect })
  } catch (error) {
    if (!(error instanceof MediaError)) throw error
    await gateway.answerOffer(call, { refused: error.message, reconnect })
  }
}

/** Ends a call that was opened and could not be run. */
async function endUnrun(call: string) {
  const ended = { type: 'call.ended', data: { reason: 'failed' } }
  await gateway.append(call, { entries: [ended] }).catch(() => {})
}
