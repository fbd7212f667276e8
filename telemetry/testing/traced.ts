import { openTelemetry, type Telemetry } from '../src/open-telemetry.ts'
import { OtlpReceiver } from './otlp-receiver.ts'

export interface TracedHere extends AsyncDisposable {
  collector: OtlpReceiver
  telemetry: Telemetry
  /** What the process logged about it. */
  complaints: string[]
}

/** Sends the spans of this process to a collector on loopback, until it is disposed of. */
export async function traceHere(
  settings: Record<string, string> = {},
  metrics?: Parameters<Telemetry['sendMetrics']>[0],
): Promise<TracedHere> {
  const collector = await OtlpReceiver.start()
  const complaints: string[] = []
  const variables = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...settings }
  const telemetry = await withVariables(variables, async () => {
    const opened = openTelemetry({
      service: 'switchroom-test',
      version: '0',
      logger: { warn: (_about, sentence) => void complaints.push(sentence) },
      sends: { traces: true, metrics: true },
    })
    if (metrics) await opened.sendMetrics(metrics)
    return opened
  })
  return {
    collector,
    telemetry,
    complaints,
    async [Symbol.asyncDispose]() {
      await telemetry.stop()
      await collector.stop()
    },
  }
}

/** The packages read the environment when they are made, and later tests must not find it changed. */
async function withVariables<T>(variables: Record<string, string>, work: () => Promise<T>): Promise<T> {
  Object.assign(process.env, variables)
  try {
    return await work()
  } finally {
    for (const name of Object.keys(variables)) delete process.env[name]
  }
}
