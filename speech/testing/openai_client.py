"""Drives a voice server with OpenAI's official client; prints what it read, one JSON object a line."""

import json
import sys

import openai

url, recording = sys.argv[1:]
client = openai.OpenAI(base_url=f"{url}/v1", api_key="any", max_retries=0)


def tell(name, **what):
    print(json.dumps({"name": name, **what}))


for form in ["mp3", "opus", "aac", "flac", "wav", "pcm"]:
    with client.audio.speech.with_streaming_response.create(
        model="tts-1", voice="alloy", input="Hello there.", response_format=form
    ) as answer:
        pieces = list(answer.iter_bytes())
        tell("speech", form=form, type=answer.headers["content-type"], bytes=sum(map(len, pieces)))

usual = client.audio.speech.create(model="gpt-4o-mini-tts", voice="coral", input="Hello there.")
tell("default", type=usual.response.headers["content-type"])

with client.audio.speech.with_streaming_response.create(
    model="tts-1", voice="alloy", input="Hello there.", stream_format="sse"
) as answer:
    events = [json.loads(line[6:])["type"] for line in answer.iter_lines() if line.startswith("data: ")]
    tell("sse", first=events[0], last=events[-1])


def file():
    return ("fox.wav", open(recording, "rb"))


def heard(**how):
    return client.audio.transcriptions.create(model="whisper-1", file=file(), **how)


tell("json", text=heard().text)
for form in ["text", "srt", "vtt"]:
    tell(form, text=heard(response_format=form))
verbose = heard(response_format="verbose_json", timestamp_granularities=["word", "segment"])
tell(
    "verbose",
    language=verbose.language,
    words=[word.word for word in verbose.words],
    segments=[segment.text for segment in verbose.segments],
)
stream = client.audio.transcriptions.create(model="gpt-4o-transcribe", file=file(), stream=True)
events = list(stream)
tell("stream", deltas=[event.delta for event in events[:-1]], done=events[-1].text)
tell("translation", text=client.audio.translations.create(model="whisper-1", file=file()).text)

try:
    client.audio.speech.create(model="tts-1", voice="alloy", input="")
except openai.BadRequestError as error:
    tell("refusal", message=error.message, code=error.code, type=error.type, param=error.param, id=error.request_id)
try:
    client.models.retrieve("no/such")
except openai.NotFoundError as error:
    tell("no model", code=error.code, param=error.param)
tell("models", ids=[model.id for model in client.models.list()])
tell("model", id=client.models.retrieve("local/espeak").id)
