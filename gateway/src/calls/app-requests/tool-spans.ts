import type { ToolCall } from '@switchroom/kit/vendor'
import { startSpan, type Span } from '@switchroom/telemetry/tracing'

/** A span for each tool that an app runs, from when it is asked to its result. */
export class ToolSpans {
  readonly #open = new Map<string, Span>()

  constructor(calls: readonly ToolCall[]) {
    for (const { id, name } of calls) {
      const attributes = {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': name,
        'gen_ai.tool.call.id': id,
      }
      const span = startSpan(`execute_tool ${name}`, { attributes })
      if (span) this.#open.set(id, span)
    }
  }

  answered({ id, ok }: { id: string; ok: boolean }): void {
    const span = this.#open.get(id)
    if (!span) return
    this.#open.delete(id)
    if (!ok) span.fail('tool_failed')
    span.end()
  }
}
