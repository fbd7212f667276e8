import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { ScriptedTranscriber, ScriptedVoice } from './scripted-vendors.ts'
import { ScriptedRealtime, type RealtimeDeed } from './scripted-realtime.ts'
import { SpokenTalk } from './spoken-talk.ts'
import { says, ScriptedModel } from './talk.ts'

/** A call on a realtime model that does these deeds. */
export function realtimeTalk(...deeds: RealtimeDeed[]) {
  const model = new ScriptedRealtime('live', ...deeds)
  const unasked = new ScriptedModel('unasked', says('I am not asked.'))
  const talk = new SpokenTalk(unasked, new ScriptedTranscriber('transcriber'), new ScriptedVoice('voice'))
  talk.realtime = [model]
  talk.models = []
  talk.transcribers = []
  talk.voices = []
  return { talk, model }
}

/** A model that is never asked. */
export async function until(holds: () => boolean) {
  const patience = Date.now() + 15_000
  while (!holds() && Date.now() < patience) await sleep(10)
  assert.ok(holds(), String(holds))
}

export const textsOf = (talk: SpokenTalk, type: string) => talk.dataOf(type).map(({ text }) => text)
