import { callEnded } from '@switchroom/telemetry/tracing'
import type { EndedTrace } from './log.store.ts'

/** One gateway writes the end of a call, and sends the span of the whole call. */
export function traceEnded(ended: readonly EndedTrace[]): void {
  for (const { id, org, env, agent, channel, direction, reason, ...span } of ended)
    callEnded({
      ...span,
      attributes: {
        'gen_ai.conversation.id': id,
        'gen_ai.agent.name': agent,
        'switchroom.org': org,
        'switchroom.environment': env,
        'switchroom.channel': channel,
        'switchroom.direction': direction,
        'switchroom.reason': reason,
      },
    })
}
