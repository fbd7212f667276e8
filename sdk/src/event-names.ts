import type { AgentEvents, CallEvents, LineEvents } from './events.ts'

/** Every name once: the types see to it that none is missing. */
export type Named<Events> = Readonly<Record<keyof Events, true>>

const callEvents: Named<CallEvents> = {
  'call.started': true,
  'chat.started': true,
  'msgapp.started': true,
  'call.passed': true,
  'call.preparing': true,
  'call.preparingTimeout': true,
  'call.ended': true,
  'memory.ops': true,
  'speech.started': true,
  'speech.ended': true,
  'user.speaking': true,
  'user.message': true,
  'eager.turn': true,
  'turn.end': true,
  'turn.continued': true,
  'bot.speaking': true,
  'bot.word': true,
  'bot.finished': true,
  'bot.interrupted': true,
  'message.confirmed': true,
  'llm.toolCall': true,
  'session.idleWarning': true,
  'session.timeout': true,
  'audio.metrics': true,
  'call.dtmf_received': true,
  'call.dtmf_sent': true,
  'msgapp.message': true,
  'msgapp.response': true,
  'msgapp.status': true,
  'session.paused': true,
  'session.resumed': true,
  'agent.message': true,
  'call.dialing': true,
  'call.answered': true,
  'call.answered_by': true,
  'call.taken_over': true,
  'call.released': true,
  'call.transferred': true,
  'call.opt_out': true,
  'callback.requested': true,
  'knowledge.found': true,
  'vendor.switched': true,
  'call.error': true,
}

export const agentEvents: Named<AgentEvents> = {
  ...callEvents,
  ready: true,
  error: true,
  holders: true,
}

export const lineEvents: Named<LineEvents> = {
  ...callEvents,
  ready: true,
  error: true,
  call: true,
  'call.routed': true,
  'call.route_failed': true,
}
