import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '@switchroom/launcher/testing/waiting'
import { missing } from '@switchroom/tools/debian-packages'
import { Carrier } from './spoken-carrier.ts'
import { startVoiceDeployment } from './spoken-fixture.ts'
import { runExample } from './spoken-example.ts'
import { firstCaller, recordings, travel, type Sentence } from './spoken-journey.ts'
import { SippCaller } from './spoken-sipp.ts'

const greeting = 'Hello! Ask me for the time.'

test(
  'a phone that knows nothing of us calls the example agent: it is greeted, heard, answered, interrupts, is put through to a person and hangs up, and the log has all of it (N-504)',
  { skip: missing('sipp') },
  async (t) => {
    const fixture = await startVoiceDeployment(t)
    const carrier = await Carrier.open(t, fixture)
    const person = await carrier.reach('+34610000061')
    await runExample(t, fixture, { greeting, person })
    const recorded = await recordings()
    const sentences = Object.keys(recorded) as Sentence[]
    const first = await firstCaller(t, fixture, recorded)
    const { sipPort } = fixture.worker
    const caller = await SippCaller.call(t, 'hello', sipPort, Object.values(recorded))
    const call = await until('it calls', async () => (await fixture.calls())[1], 60_000)
    await first.hangUp()
    await travel({
      fixture,
      carrier,
      call,
      person,
      greeting,
      say: (sentence) => caller.play(sentences.indexOf(sentence)),
      async hangUp() {
        const { status, output } = await caller.hangUp()
        assert.equal(status, 0, output)
      },
    })
  },
)
