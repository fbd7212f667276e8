"""Build voice and chat agents for a Switchroom gateway."""

from .agent import Agent
from .call import Call, MessagingSession
from .chat import Chat, open_chat
from .client import Switchroom, connect
from .dialling import DialClient
from .errors import GatewayRefusal, GatewayUnreachable, SpeechError, SwitchroomError
from .line import PhoneLine
from .log_follower import follow_call
from .run import run
from .shapes import (
    ChatMessage,
    Consent,
    DialledCall,
    Entry,
    Environment,
    Kept,
    LineTurn,
    PreparedSet,
    RouteOutcome,
    Transport,
    Turn,
)
from .speech import SpeechClient
from .speech_shapes import HeardWord, SpeechEvent, StreamFrame, Transcript, Voice
from .speech_stream import TranscriptionStream
from .tool import Tool, tool

__all__ = [
    "Agent",
    "Call",
    "Chat",
    "ChatMessage",
    "Consent",
    "DialClient",
    "DialledCall",
    "Entry",
    "Environment",
    "GatewayRefusal",
    "GatewayUnreachable",
    "HeardWord",
    "Kept",
    "LineTurn",
    "MessagingSession",
    "PhoneLine",
    "PreparedSet",
    "RouteOutcome",
    "SpeechClient",
    "SpeechError",
    "SpeechEvent",
    "StreamFrame",
    "Switchroom",
    "SwitchroomError",
    "Tool",
    "Transcript",
    "TranscriptionStream",
    "Transport",
    "Turn",
    "Voice",
    "connect",
    "follow_call",
    "open_chat",
    "run",
    "tool",
]
__version__ = "0.1.0"
