import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { recording } from '@switchroom/kit/testing/recordings'
import { tonePcm } from '../../testing/decoded-sound.ts'
import { OpenAiWire, theirText } from '../../testing/openai-wire.ts'
import { pythonClient, ran } from '../../testing/python-openai.ts'
import { startWithFakeGateway } from '../../testing/speech-server.ts'
import { VoiceWire } from '../../testing/voice-wire.ts'

const client = await pythonClient()
const program = fileURLToPath(new URL('../../testing/openai_client.py', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'switchroom-python-'))
after(() => rmSync(folder, { recursive: true }))

test(
  "OpenAI's official Python client reads every form, event and refusal",
  { skip: client.missing },
  async (t) => {
    if (client.missing !== false) return
    const wire = new OpenAiWire()
    await wire.fake.start()
    t.after(() => wire.fake.stop())
    const voice = await new VoiceWire().start()
    t.after(() => voice.stop())
    voice.answer = (response) => void response.end(tonePcm(24_000, 1))
    await using speech = await startWithFakeGateway()
    speech.gateway.grant = ({ doing, model }) => ({
      vendor: 'openai',
      model: model ?? '',
      knobs: doing === 'speech' ? { tts_model: model } : { stt: model },
      options: { base_url: doing === 'speech' ? voice.url : wire.fake.url },
      credentials: { api_key: 'theirs' },
    })
    speech.gateway.models = [{ id: 'local/espeak', provider: 'local', does: 'speech' }]
    const file = join(folder, 'fox.wav')
    writeFileSync(file, recording('fox.wav'))
    const { ok, said } = await ran(client.python, ['-W', 'ignore', program, speech.url, file])
    assert.ok(ok, said)
    const told = said
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown> & { name: string })
    const one = (name: string) => told.find((line) => line.name === name)
    const forms = told.filter(({ name }) => name === 'speech')
    const types = ['audio/mpeg', 'audio/ogg', 'audio/aac', 'audio/flac', 'audio/wav', 'audio/pcm']
    assert.deepEqual(
      forms.map(({ type }) => type),
      types,
    )
    for (const { form, bytes } of forms) assert.ok(Number(bytes) > 2_000, `${String(form)}: ${String(bytes)}`)
    assert.equal(forms.at(-1)?.['bytes'], 48_000)
    assert.equal(one('default')?.['type'], 'audio/mpeg')
    assert.deepEqual(
      [one('sse')?.['first'], one('sse')?.['last']],
      ['speech.audio.delta', 'speech.audio.done'],
    )
    for (const name of ['json', 'text', 'translation']) assert.equal(one(name)?.['text'], theirText, name)
    assert.match(String(one('srt')?.['text']), /^1\n00:00:00,000 --> 00:00:01,000\nHello there\.\n\n2\n/)
    assert.match(String(one('vtt')?.['text']), /^WEBVTT\n\n/)
    assert.deepEqual(one('verbose'), {
      name: 'verbose',
      language: 'english',
      words: ['Hello', 'there.', 'Good', 'bye.'],
      segments: ['Hello there.', 'Good bye.'],
    })
    assert.deepEqual(one('stream'), {
      name: 'stream',
      deltas: ['Hello there.', ' Good bye.'],
      done: theirText,
    })
    const { id, message, ...refusal } = one('refusal') ?? { name: 'none', id: '', message: '' }
    assert.deepEqual(refusal, {
      name: 'refusal',
      code: 'bad_request',
      type: 'invalid_request_error',
      param: 'input',
    })
    assert.match(String(message), /`input` is blank: there is nothing to say/)
    assert.match(String(id), /^req_[0-9a-f]{24}$/)
    assert.deepEqual(one('no model'), { name: 'no model', code: 'model_not_found', param: 'model' })
    assert.deepEqual([one('models')?.['ids'], one('model')?.['id']], [['local/espeak'], 'local/espeak'])
  },
)
