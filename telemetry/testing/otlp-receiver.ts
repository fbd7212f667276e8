import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
// Written by protobufjs from the definitions of OTLP; what sends the spans writes its bytes by hand.
import definitions from 'otlp-definitions/build/src/generated/root.js'

/** Of a message of OTLP; the package declares no types of them. */
interface Decoder {
  decode: (bytes: Uint8Array) => object
  toObject: (message: object, options: object) => object
}

interface Definitions {
  opentelemetry: {
    proto: {
      collector: {
        trace: { v1: { ExportTraceServiceRequest: Decoder } }
        metrics: { v1: { ExportMetricsServiceRequest: Decoder } }
      }
    }
  }
}

const { trace, metrics } = (definitions as unknown as Definitions).opentelemetry.proto.collector
const { ExportTraceServiceRequest } = trace.v1
const { ExportMetricsServiceRequest } = metrics.v1

export interface ReceivedSpan {
  traceId: string
  spanId: string
  /** Empty for the first span of a trace. */
  parentSpanId: string
  name: string
  kind: string
  status: string
  startMs: number
  endMs: number
  attributes: Record<string, unknown>
  links: string[]
  /** Of the process. */
  resource: Record<string, unknown>
}

/** One export, as JSON has it. */
export interface ReceivedMetrics {
  resourceMetrics: { scopeMetrics: { metrics: (Record<string, unknown> & { name: string })[] }[] }[]
}

interface Decoded {
  resourceSpans?: {
    resource?: { attributes?: KeyValue[] }
    scopeSpans?: { spans?: DecodedSpan[] }[]
  }[]
}

interface DecodedSpan {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: string
  status?: { code?: string }
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes?: KeyValue[]
  links?: { traceId: string; spanId: string }[]
}

interface KeyValue {
  key: string
  value: Record<string, unknown>
}

/** A collector on loopback. */
export class OtlpReceiver {
  readonly spans: ReceivedSpan[] = []
  readonly metrics: ReceivedMetrics[] = []
  readonly headers: IncomingHttpHeaders[] = []
  requests = 0
  /** `hangs`: takes what comes and never answers. */
  answer: 200 | 500 | 503 | 'hangs' = 200
  readonly #server = createServer((request, response) => void this.#take(request, response))

  static async start(): Promise<OtlpReceiver> {
    const receiver = new OtlpReceiver()
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve))
    return receiver
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Of one trace, the first to begin first. */
  spansOf(traceId: string): ReceivedSpan[] {
    return this.spans.filter((span) => span.traceId === traceId).toSorted((a, b) => a.startMs - b.startMs)
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.on('error', () => {}).toArray())
    this.requests += 1
    this.headers.push(request.headers)
    if (this.answer === 'hangs') return
    if (this.answer === 200 && request.url === '/v1/traces') this.spans.push(...decoded(body))
    if (this.answer === 200 && request.url === '/v1/metrics') this.metrics.push(metricsIn(body))
    response.writeHead(this.answer, { 'content-type': 'application/x-protobuf' }).end()
  }
}

function decoded(body: Buffer): ReceivedSpan[] {
  const message = ExportTraceServiceRequest.decode(body)
  const { resourceSpans = [] } = ExportTraceServiceRequest.toObject(message, {
    bytes: String,
    longs: String,
    enums: String,
  }) as Decoded
  return resourceSpans.flatMap(({ resource, scopeSpans = [] }) =>
    scopeSpans.flatMap(({ spans = [] }) =>
      spans.map((span) => receivedOf(span, valuesOf(resource?.attributes))),
    ),
  )
}

const metricsIn = (body: Buffer) =>
  ExportMetricsServiceRequest.toObject(ExportMetricsServiceRequest.decode(body), {
    longs: Number,
    enums: String,
  }) as ReceivedMetrics

const receivedOf = (span: DecodedSpan, resource: Record<string, unknown>): ReceivedSpan => ({
  traceId: hexOf(span.traceId),
  spanId: hexOf(span.spanId),
  parentSpanId: hexOf(span.parentSpanId ?? ''),
  name: span.name,
  kind: span.kind,
  status: span.status?.code ?? 'STATUS_CODE_UNSET',
  startMs: Number(BigInt(span.startTimeUnixNano) / 1_000n) / 1_000,
  endMs: Number(BigInt(span.endTimeUnixNano) / 1_000n) / 1_000,
  attributes: valuesOf(span.attributes),
  links: (span.links ?? []).map(({ traceId, spanId }) => `${hexOf(traceId)}-${hexOf(spanId)}`),
  resource,
})

const hexOf = (base64: string) => Buffer.from(base64, 'base64').toString('hex')

const valuesOf = (attributes: readonly KeyValue[] = []): Record<string, unknown> =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      'intValue' in value ? Number(value['intValue']) : Object.values(value)[0],
    ]),
  )
