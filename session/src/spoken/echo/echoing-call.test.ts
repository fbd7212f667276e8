import assert from 'node:assert/strict'
import { test } from 'node:test'
import { spokenPcm, spokenRate } from '@switchroom/kit/testing/recordings'
import { speech } from '../../../testing/scripted-sound.ts'
import { ScriptedTranscriber, ScriptedVoice } from '../../../testing/scripted-vendors.ts'
import { SpokenTalk } from '../../../testing/spoken-talk.ts'
import { says, ScriptedModel } from '../../../testing/talk.ts'

/** A voice that sounds like a person. */
class HumanVoice extends ScriptedVoice {
  override readonly voice = {
    sampleRate: spokenRate,
    speak: async function* () {
      yield { type: 'audio' as const, pcm: new Uint8Array(spokenPcm()) }
    },
  }
}

test('an agent neither interrupts nor answers itself on a line that gives back what it says', async () => {
  const transcriber = new ScriptedTranscriber('transcriber', 'Tell me.', 'This is the echo.')
  const model = new ScriptedModel('model', says('One. ', 'Two. '), says('To myself.'))
  const talk = new SpokenTalk(model, transcriber, new HumanVoice('voice'))
  talk.sound.echo = { gain: 0.3, frames: 7 }
  talk.start()
  talk.sound.says(speech(700))
  await talk.until('bot.finished')
  assert.deepEqual(talk.types('speech.started', 'bot.interrupted', 'user.message'), [
    'speech.started',
    'user.message',
  ])
  await talk.hangUp()
})
