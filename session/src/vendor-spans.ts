import type { SpanOptions } from '@switchroom/telemetry/tracing'

/** Of a request to a vendor. */
type VendorSpan = SpanOptions & { name: string }

const vendorSpan = (operation: string, { vendor, model }: { vendor: string; model: string }): VendorSpan => ({
  name: `${operation} ${model}`,
  kind: 'client',
  toVendor: true,
  attributes: {
    'gen_ai.operation.name': operation,
    'gen_ai.provider.name': vendor,
    'gen_ai.request.model': model,
  },
})

export const modelSpan = (run: { vendor: string; model: string }) => vendorSpan('chat', run)

export const voiceSpan = (run: { vendor: string; model: string }) => vendorSpan('text_to_speech', run)
