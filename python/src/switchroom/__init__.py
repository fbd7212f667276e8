"""Build voice and chat agents for a Switchroom gateway."""

from .agent import Agent
from .call import Call, MessagingSession
from .chat import Chat, open_chat
from .client import Switchroom, connect
from .dialling import DialClient
from .errors import GatewayRefusal, GatewayUnreachable, SpeechError, SwitchroomError
from .line import PhoneLine
from .log_follower import follow_call
from .model_endpoints import ModelEndpoints
from .numbers import NumbersClient
from .relay import Relay, relay
from .run import run
from .shapes import (
    AgentHolder,
    ChatMessage,
    Consent,
    DialledCall,
    Entry,
    Environment,
    Holders,
    Kept,
    LineTurn,
    Passage,
    PreparedSet,
    RouteOutcome,
    TransferOutcome,
    Transport,
    Turn,
)
from .speech import SpeechClient
from .speech_shapes import HeardWord, SpeechEvent, StreamFrame, Transcript, Voice
from .speech_stream import TranscriptionStream
from .threads import ThreadPage, ThreadsClient
from .tool import Tool, tool

__all__ = [
    "Agent",
    "AgentHolder",
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
    "Holders",
    "Kept",
    "LineTurn",
    "Passage",
    "MessagingSession",
    "ModelEndpoints",
    "NumbersClient",
    "PhoneLine",
    "PreparedSet",
    "Relay",
    "RouteOutcome",
    "SpeechClient",
    "SpeechError",
    "SpeechEvent",
    "StreamFrame",
    "Switchroom",
    "SwitchroomError",
    "ThreadPage",
    "ThreadsClient",
    "Tool",
    "Transcript",
    "TranscriptionStream",
    "TransferOutcome",
    "Transport",
    "Turn",
    "Voice",
    "connect",
    "follow_call",
    "open_chat",
    "relay",
    "run",
    "tool",
]
__version__ = "0.1.0"
