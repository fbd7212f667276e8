import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test, type TestContext } from 'node:test'
import { SpokenAgent } from '@switchroom/gateway/testing/calls/spoken-calls'
import { startChatDeployment } from '@switchroom/gateway/testing/calls/chat-deployment'
import { PlacingOrg, startPlacing } from '@switchroom/gateway/testing/telephony/placing-fixture'
import { until } from '@switchroom/gateway/testing/until'
import { startVoiceDeployment } from '@switchroom/speech/testing/voice-deployment'
import { pythonEnvironment } from '@switchroom/tools/python-environment'
import { root } from '@switchroom/tools/test-files'

const found = await pythonEnvironment(join(root, 'python/testing/requirements.txt'))
const skip = found.missing
const page = readFileSync(join(root, 'python/README.md'), 'utf8')
const programs = [...page.matchAll(/```python\n(.*?)```/gs)].map(([, code = '']) => code)
const [desk = '', help = '', chat = '', dial = '', line = '', clients = '', speech = ''] = programs

const chats = await startChatDeployment()
after(() => chats[Symbol.asyncDispose]())
const { deployment, key, model } = chats
const settings = { SVC_URL: deployment.url, SVC_KEY: key }

/** A program of the page, as it runs. */
function started(t: TestContext, code: string, environment: Record<string, string> = settings) {
  const python = found.missing === false ? found.python : ''
  const child = spawn(python, ['-X', 'dev', '-c', code], {
    env: {
      ...process.env,
      PYTHONPATH: join(root, 'python/src'),
      PYTHONDONTWRITEBYTECODE: '1',
      ...environment,
    },
  })
  t.after(() => child.kill('SIGKILL'))
  const running = { stdout: '', stderr: '', child, exited: once(child, 'close') }
  child.stdout.on('data', (chunk) => (running.stdout += String(chunk)))
  child.stderr.on('data', (chunk) => (running.stderr += String(chunk)))
  return running
}
type Running = ReturnType<typeof started>

const prints = (program: Running, what: RegExp) =>
  until(`it prints ${what}`, () => what.test(program.stdout)).catch((error: Error) => {
    throw new Error(`${error.message}: ${program.stdout} ${program.stderr}`)
  })

async function endsWell({ exited, ...program }: Running) {
  const [code] = await exited
  assert.equal(code, 0, program.stderr)
}

const isHeld = (agent: string, program: Running) =>
  until(`${agent} is held`, async () => {
    const { body } = await deployment.anonymous.as(key).get('/v1/agents')
    return body.agents.some((each: { agent: string; held: boolean }) => each.agent === agent && each.held)
  }).catch((error: Error) => {
    throw new Error(`${error.message}: ${program.stderr}`)
  })

test('the page has seven programs, and an agent is ten lines', { skip }, () => {
  assert.equal(programs.length, 7)
  assert.ok(desk.split('\n').filter((text) => text.trim() !== '').length <= 10)
})

test(
  'the agent of the page books by its tool, the contact of the page is answered, and SIGTERM ends it well',
  { skip },
  async (t) => {
    model.reply = ({ messages }) =>
      messages.at(-1)?.role === 'tool'
        ? `Booked ${messages.at(-1)?.content}.`
        : { calls: [{ name: 'book', arguments: { people: 2, when: 'tonight' } }] }
    const agent = started(t, desk)
    await isHeld('desk', agent)
    const contact = started(t, chat)
    await endsWell(contact)
    assert.equal(contact.stdout.trim(), 'Booked a table for 2, tonight, under +34911234567.')
    const [declared] = model.asked.at(-1)?.tools ?? []
    assert.deepEqual(declared?.function, {
      name: 'book',
      description: 'Books a table.',
      parameters: {
        type: 'object',
        properties: { people: { type: 'integer', description: 'how many come' }, when: { type: 'string' } },
        additionalProperties: false,
        required: ['people', 'when'],
      },
    })
    agent.child.kill('SIGTERM')
    await endsWell({ ...agent })
  },
)

test('the handlers of the page prepare turns, hear, say goodbye and end the call', { skip }, async (t) => {
  model.reply = () => 'Hello.'
  const agent = started(t, help)
  await isHeld('help', agent)
  const toHelp = chat.replaceAll('"desk"', '"help"')
  const contact = started(t, toHelp)
  await endsWell(contact)
  assert.equal(contact.stdout, 'Hello.\n')
  await endsWell(started(t, toHelp.replace('A table for two, tonight?', 'bye')))
  await prints(agent, /heard bye\nended hangup/)
  assert.match(JSON.stringify(model.asked), /The caller is Ana, on the plan gold/)
  assert.doesNotMatch(agent.stderr, /Error/)
})

test('the line of the page routes its calls', { skip }, async (t) => {
  const phone = await new SpokenAgent(deployment, chats.org, 'sales').route()
  const program = started(t, line.replace('+34911111111', phone.number))
  await isHeld('sales', program)
  const { sql } = deployment
  await until('the line is held', async () => {
    const { rows } = await sql('select 1 from lines where number = $1', [phone.number])
    return rows.length === 1
  })
  const call = await phone.open()
  await phone.fleet.post(`/v1/calls/${call}/extension`, { digits: '1' })
  await prints(program, /routed True None/)
})

test('the dial of the page is refused with a sentence, or followed to its end', { skip }, async (t) => {
  const refused = started(t, dial)
  await endsWell(refused)
  assert.match(refused.stdout, /^refused 4\d\d [A-Z_]+ \S+ \S+/)

  const placing = await startPlacing()
  t.after(async () => {
    await placing.deployment[Symbol.asyncDispose]()
    await placing.media.stop()
  })
  const org = await PlacingOrg.open(placing.deployment)
  placing.media.dials.go('hold')
  const to = await org.known()
  const environment = { SVC_URL: placing.deployment.url, SVC_KEY: org.key }
  const program = started(t, dial.replace('+15552000100', to), environment)
  const [rings] = await until(
    'it rings',
    () => placing.media.dials.held.slice(0, 1).length === 1 && placing.media.dials.held,
  )
  await prints(program, /1 call\.dialing/)
  rings?.refuse(486)
  await endsWell(program)
  assert.match(program.stdout, /call\.ended/)
})

test(
  'the clients of the page list numbers and threads, and print the code of a refusal',
  { skip },
  async (t) => {
    const { number } = await new SpokenAgent(deployment, chats.org, 'desk').route()
    const scopes = ['numbers', 'calls', 'providers'] as const
    const { key: opener } = await chats.org.serverToken('sandbox', { scopes: [...scopes] })
    const program = started(t, clients, { SVC_URL: deployment.url, SVC_KEY: opener })
    await endsWell(program)
    assert.ok(program.stdout.includes(`${number} `), program.stdout)
    assert.match(program.stdout, /\d+ threads\nNOT_FOUND \S+ .*\n$/)
  },
)

test('the speech of the page is understood', { skip }, async (t) => {
  const voice = await startVoiceDeployment()
  t.after(() => voice[Symbol.asyncDispose]())
  const { key: svc = '' } = await voice.caller()
  const environment = { SVC_VOICE_URL: voice.url, SVC_KEY: svc }
  const program = started(t, speech, environment)
  await endsWell(program)
  assert.match(program.stdout, /station/)
  const more = started(t, moreSpeech, environment)
  await endsWell(more)
  assert.match(more.stdout, /^voices True\nwords True done True\nlive .*station.* \d/s)
  assert.match(more.stdout, /^text True$/m)
  assert.match(more.stdout, /refused BAD_VOICE 4\d\d/)
  assert.match(more.stdout, /unreachable NETWORK_ERROR 0\nno key MISSING_KEY 0\n$/)
})

/** What the page only names. */
const moreSpeech = `
import asyncio
from switchroom import SpeechClient, SpeechError

TEXT = "Please tell me what time the station opens in the morning."

async def failing(what, work):
    try:
        await work
    except SpeechError as error:
        print(what, error.code, error.status)

async def main():
    async with SpeechClient() as speech:
        voices = await speech.voices(provider="local", language="en")
        print("voices", any(voice["provider"] == "local" for voice in voices))
        events = [event async for event in speech.speech_events(TEXT, "local/en-us")]
        kinds = [event["type"] for event in events]
        audio = b"".join(event["data"] for event in events if event["type"] == "audio")
        print("words", len(audio) > 10000, "done", kinds[-1] == "done")
        async with await speech.stream(model="local", language="en", sample_rate=16000) as stream:
            async for piece in speech.speech(TEXT, "local/en-us", sample_rate=16000):
                await stream.send(piece)
            done = await stream.stop()
            heard = [frame["text"] async for frame in stream if frame["type"] == "final"]
        print("live", *heard, done["audio_seconds"])
        text = await speech.transcribe(await speech.speech_bytes(TEXT, "local/en-us", response_format="wav"), response_format="text")
        print("text", "station" in text)
        await failing("refused", speech.speech_bytes(TEXT, "local/nobody-speaks-so"))
    async with SpeechClient(url="http://127.0.0.1:1") as speech:
        await failing("unreachable", speech.voices())
    async with SpeechClient(key="") as speech:
        await failing("no key", speech.voices())

asyncio.run(main())
`
