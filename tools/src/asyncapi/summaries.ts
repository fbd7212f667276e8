import type { AppEventName } from '@switchroom/contract/app-events'
import type {
  framesFromApp,
  framesFromChat,
  framesToApp,
  framesToChat,
} from '@switchroom/contract/app-socket'

// What each frame and each event means, one sentence each.

export const ofFramesFromApp: Record<keyof typeof framesFromApp, string> = {
  'agent.register': 'From now on this app holds the agent, as its code declares it.',
  'agent.unregister': 'This app holds the agent no longer; its calls pass to another app that does.',
  'line.register': 'From now on the calls of this number come to this app first.',
  'call.route': 'The line hands its call to an agent.',
  'call.say': 'The agent says this as it is; the model is not asked. At most 8000 characters.',
  'call.end': 'Ends the call.',
  'call.callback': 'Records that the contact wants to be called; dials nothing.',
  'call.opt_out': 'Puts the contact on the do-not-call list.',
  'call.transfer': 'Transfers the caller of a spoken call; the result is the event `call.transferred`.',
  'call.tones': 'Presses keys down the line of a phone call.',
  'tool.result': 'What a tool returned (`result`, any JSON) or why it failed (`error`): exactly one of them.',
  'events.ack': 'Every event of each call up to its `seq` has reached the app.',
  'preparing.settled': 'The turn may continue, with what `set` changes.',
}

export const ofFramesToApp: Record<keyof typeof framesToApp, string> = {
  'agent.registered': 'The agent is held by this app.',
  refused: 'The frame was refused; the socket stays open.',
  ready: 'The line is held by this app.',
  lineRefused: 'The line was not registered; the socket stays open.',
  'agent.holders':
    'Which apps hold the agent now, and who gets new calls; for those that registered with `holders`.',
  'tool.received': 'The result under this call and id is kept, and need not be sent again.',
  'call.passed': 'Another socket had the call until now; its events come here from now on.',
  'call.preparing': 'A turn waits for `preparing.settled` before the model is asked.',
  call: 'A call reached the line, and the time for an extension is over.',
  lineCallPassed: 'The call was on the line before this socket had it.',
  lineCallRouted: 'The agent drives the call now, on the same audio.',
  'call.routed': 'The line has handed the call to this agent.',
  'call.route_failed': 'The call was not handed over, and stays with the line.',
  lineCallEnded: 'The call left the line and continues with the agent.',
  'line.answered': 'The line answered a call and waits for an extension.',
}

export const ofEvents: Record<AppEventName, string> = {
  'call.started': 'A spoken call, by phone or from a browser, is connected.',
  'chat.started': 'A chat began.',
  'msgapp.started': 'A contact wrote on the messaging channel.',
  'call.preparingTimeout': 'The gateway gave up waiting for `preparing.settled` and continued without.',
  'call.ended': 'The call is over.',
  'memory.ops': 'The memory learned or revised something about the contact.',
  'speech.started': 'The caller makes a sound.',
  'speech.ended': 'The caller is silent again.',
  'user.speaking': 'What the caller has said so far; it may change.',
  'user.message': 'What the contact said or wrote.',
  'eager.turn': 'The caller has probably finished.',
  'turn.end': 'The caller has finished.',
  'turn.continued': 'The caller kept talking after a turn signal.',
  'bot.speaking': 'The bot begins a reply.',
  'bot.word': 'The bot says a word of it.',
  'bot.finished': 'The bot has said all of it.',
  'bot.interrupted': 'The bot stopped before the end.',
  'message.confirmed': 'A message of `call.say` is in the log.',
  'llm.toolCall': 'The model calls tools of this app.',
  'session.idleWarning': 'The call will end unless the contact says something.',
  'session.timeout': 'The call is about to end.',
  'audio.metrics': 'How loud it is; only with `analysis.send_audio_metrics`.',
  'call.dtmf_received': 'The caller pressed a key.',
  'call.dtmf_sent': 'Keys were pressed down the line.',
  'msgapp.message': 'A message came on the messaging channel.',
  'msgapp.response': 'A message was sent on the messaging channel.',
  'msgapp.status': 'The messaging platform reports what became of a message.',
  'session.paused': 'A person answers from now on, and the model does not.',
  'session.resumed': 'The model answers again.',
  'agent.message': 'What the agent said or wrote.',
  'call.dialing': 'The number is being dialled.',
  'call.answered': 'The dialled call was answered.',
  'call.answered_by': 'Who or what answered.',
  'call.taken_over': 'A supervisor speaks in place of the agent.',
  'call.released': 'The supervisor has given the call back.',
  'call.transferred': 'What became of a transfer.',
  'call.opt_out': 'The contact is on the do-not-call list now.',
  'callback.requested': 'The contact wants to be called.',
  'knowledge.found': 'Something was looked up in a knowledge base.',
  'vendor.switched': 'A vendor failed, and another took over.',
  error: 'Something went wrong in the call itself. It has `data`; a refusal of a frame has none.',
}

export const ofFramesFromChat: Record<keyof typeof framesFromChat, string> = {
  message: 'The contact writes. A message sent again under its `id` is taken once.',
  end: 'The contact ends the conversation.',
}

export const ofFramesToChat: Record<keyof typeof framesToChat, string> = {
  started: 'The conversation is open, and this is its call.',
  heard: 'A message of this client, or of another on the same call, is in the log.',
  said: 'The agent wrote.',
  ended: 'The conversation is over.',
  refusedMessage: 'What the client sent was refused; the socket stays open.',
}
