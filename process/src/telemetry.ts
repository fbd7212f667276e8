import type { Telemetry, TelemetryLogger } from '@switchroom/telemetry/open-telemetry'
import metadata from '../package.json' with { type: 'json' }
import { SettingError } from './setting-reader.ts'

export type { Telemetry } from '@switchroom/telemetry/open-telemetry'

const protocols = [
  'OTEL_EXPORTER_OTLP_PROTOCOL',
  'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL',
  'OTEL_EXPORTER_OTLP_METRICS_PROTOCOL',
]

/** Sends spans and metrics if the environment says where to; otherwise not even the packages for it are loaded. */
export async function startTelemetry(
  service: string,
  environment: NodeJS.ProcessEnv,
  logger: TelemetryLogger,
): Promise<Telemetry | undefined> {
  const said = (name: string) => environment[name]?.trim() ?? ''
  const endpoint = said('OTEL_EXPORTER_OTLP_ENDPOINT')
  const sends = {
    traces: said('OTEL_TRACES_EXPORTER') !== 'none',
    metrics: said('OTEL_METRICS_EXPORTER') !== 'none',
  }
  const isDisabled = said('OTEL_SDK_DISABLED').toLowerCase() === 'true'
  if (endpoint === '' || isDisabled || !(sends.traces || sends.metrics)) return undefined
  if (!/^https?:$/.test(URL.parse(endpoint)?.protocol ?? ''))
    throw new SettingError(
      'OTEL_EXPORTER_OTLP_ENDPOINT is no http or https address: name the collector’s, as http://collector:4318',
    )
  for (const name of protocols)
    if (!['', 'http/protobuf'].includes(said(name)))
      throw new SettingError(
        `${name} is ${said(name)}, but telemetry is sent as http/protobuf: leave it out, and name the port for it in OTEL_EXPORTER_OTLP_ENDPOINT (4318 by default)`,
      )
  const { openTelemetry } = await import('@switchroom/telemetry/open-telemetry')
  return openTelemetry({ service, version: metadata.version, logger, sends })
}
