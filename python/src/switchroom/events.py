"""The names of events. docs/protocol.md says what each carries."""

from __future__ import annotations

CALL_EVENTS = frozenset(
    {
        # the life of a call
        "call.started",
        "chat.started",
        "msgapp.started",
        "call.passed",
        "call.preparing",
        "call.preparingTimeout",
        "call.ended",
        "memory.ops",
        # speech and turns
        "speech.started",
        "speech.ended",
        "user.speaking",
        "user.message",
        "eager.turn",
        "turn.end",
        "turn.continued",
        "bot.speaking",
        "bot.word",
        "bot.finished",
        "bot.interrupted",
        "message.confirmed",
        "llm.toolCall",
        "session.idleWarning",
        "session.timeout",
        "audio.metrics",
        # tones
        "call.dtmf_received",
        "call.dtmf_sent",
        # messaging
        "msgapp.message",
        "msgapp.response",
        "msgapp.status",
        "session.paused",
        "session.resumed",
        # what a log holds beside these
        "agent.message",
        "call.dialing",
        "call.answered",
        "call.answered_by",
        "call.taken_over",
        "call.released",
        "call.transferred",
        "call.opt_out",
        "callback.requested",
        "knowledge.found",
        "vendor.switched",
        "call.error",
    }
)
_REGISTERED = CALL_EVENTS | {"ready", "error"}
AGENT_EVENTS = _REGISTERED | {"holders"}
LINE_EVENTS = _REGISTERED | {"call", "call.routed", "call.route_failed"}
CONNECTION_EVENTS = frozenset({"connected", "disconnected", "error"})
CHAT_EVENTS = frozenset({"message", "ended", "connected", "disconnected", "error"})
