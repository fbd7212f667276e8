import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { AppClient } from '../../../testing/agents/app-client.ts'
import { refused, type Client } from '../../../testing/client.ts'
import { done, TestAgent } from '../../../testing/agents/test-agents.ts'
import { startTrialDeployment } from '../../../testing/providers/trial-vendors.ts'
import { manifestOf, VendorFolder } from '../../../testing/providers/vendor-packages.ts'

const trial = await startTrialDeployment()
after(() => trial[Symbol.asyncDispose]())
const { deployment, fake, asked } = trial
const org = await deployment.newOrg()
const ana = await org.person('developer', { production: true })
const ci = await org.serverToken('sandbox')

beforeEach(() => {
  fake.mode = 'answer'
  asked()
})

const newAgent = () => new TestAgent(ci.client)
const put = (agent: TestAgent, client: Client, config: object, ifVersion = 0) =>
  client.put(`${agent.at}/settings`, { config, if_version: ifVersion })
const newestOf = async (agent: TestAgent) => (await ana.client.get(`${agent.at}/settings`)).body.yours

const eager = { turn: { eager_eot_threshold: 0.5 } }

test('a set is checked as the class that holds the agent would build it (S-177)', async () => {
  const agent = newAgent()
  const app = await AppClient.connect(deployment.url, ana.key)
  after(() => app.close())
  await app.register(agent.slug, { declares: { stt: 'beta' } })
  refused(await put(agent, ana.client, eager), 400, 'beta takes no eager_eot_threshold')
  assert.equal(await newestOf(agent), null)
  await app.register(agent.slug, { declares: { stt: 'alpha' } })
  await agent.set(ana.client, eager)
  await app.register(agent.slug)
  await agent.set(ana.client, { stt: 'beta' }, 1)
  refused(
    await put(agent, ana.client, { stt: 'beta', ...eager }, 2),
    400,
    'beta takes no eager_eot_threshold',
  )
  await app.register(agent.slug, { declares: { stt: 'alpha' } })
  await agent.set(ana.client, { stt: 'beta', ...eager }, 2)
})

test('a vendor this build has no plugin for is refused in its own sentence, in the place of the knob that names it (S-181, SD-21)', async () => {
  const agent = newAgent()
  const sentence = 'this build has no plugin for nosuch'
  for (const config of [
    { tts: 'nosuch' },
    { tts: 'nosuch', voice: 'v' },
    { llm: 'nosuch/model' },
    { stt: 'nosuch/model' },
    { judge: 'nosuch/model' },
  ]) {
    refused(await put(agent, ana.client, config), 400, sentence)
    refused(await put(agent, ana.client, { ...config, record: 1 }), 400, sentence)
  }
  assert.deepEqual([asked(), await newestOf(agent)], [[], null])
})

test('a turn or voice knob that the vendor takes under no name is refused by both names, for every key that opens the pipeline (S-184, S-210, S-420, SD-24)', async () => {
  using plain = new VendorFolder().add(manifestOf('plain', ['stt', 'tts']))
  const folders = [...deployment.settings.vendorFolders, plain.path]
  await using there = await deployment.another({ SVC_VENDOR_FOLDERS: folders.join(',') })
  const agent = newAgent()
  const table: [config: object, sentence: string][] = [
    [{ stt: 'beta', ...eager }, 'beta takes no eager_eot_threshold'],
    [{ stt: 'gamma', turn: { eot_threshold: 0.6 } }, 'gamma takes no eot_threshold'],
    [
      { stt: 'plain', turn: { eager_eot_threshold: 0.5, eot_threshold: 0.6 } },
      'plain takes no eot_threshold',
    ],
    [{ tts: 'gamma', voice: 'v' }, 'gamma takes no voice'],
    [{ tts: 'plain', tts_model: 'plain-tts-1' }, 'plain takes no tts_model'],
  ]
  for (const { key } of [ana, ci])
    for (const [config, sentence] of table)
      refused(await put(agent, there.anonymous.as(key), config), 400, sentence)
  await agent.set(ci.client, { stt: 'beta' })
  refused(await put(agent, ana.client, eager), 400, 'beta takes no eager_eot_threshold')
  assert.equal(await newestOf(agent), null)
  await agent.set(ana.client, { turn: { eot_threshold: 0.6, endpointing_ms: 0, min_interruption_words: 2 } })
  await agent.set(ana.client, { stt: 'alpha', ...eager }, 1)
})

/** What the vendor was built with and given, by the stage it was asked for. */
const told = () => {
  const seen = fake.seen
    .splice(0)
    .map(({ url, body }) => [url.pathname.slice(1), JSON.parse(body.toString())])
  return Object.fromEntries(seen) as Record<string, { text: string; keywords: { words?: string[] } }>
}

test('a changed stage is tried with the lexicon of the scope: what falls through to it, and the class’s halves (S-179)', async () => {
  const agent = newAgent()
  const lexicon = async (client: Client, said: string, heard: string[]) =>
    done(
      await client.put(`${agent.at}/lexicon`, {
        lexicon: { said: [{ word: 'English', spoken: said }], heard },
        if_version: 0,
      }),
    )
  let versions = 0
  const tried = async () => {
    await agent.set(ana.client, { voice: `v${versions}`, stt: versions % 2 ? 'alpha' : 'beta' }, versions)
    versions += 1
    const { tts, stt } = told()
    return [tts?.text, stt?.keywords.words]
  }
  assert.deepEqual(await tried(), ['An English line.', undefined])
  await lexicon(ana.client.in('production'), 'live', ['Live'])
  assert.deepEqual(await tried(), ['An English line.', undefined])
  await lexicon(ci.client, 'ours', ['Wout'])
  assert.deepEqual(await tried(), ['An ours line.', ['Wout']])
  await lexicon(ana.client, 'mine', ['Ximena', 'Nguyễn'])
  assert.deepEqual(await tried(), ['An mine line.', ['Ximena', 'Nguyễn']])
  const app = await AppClient.connect(deployment.url, ana.key)
  after(() => app.close())
  await app.register(agent.slug, { declares: { hears: ['Oslo'] } })
  assert.deepEqual(await tried(), ['An mine line.', ['Oslo']])
  await app.register(agent.slug, { declares: { says: [] } })
  assert.deepEqual(await tried(), ['An English line.', ['Ximena', 'Nguyễn']])
})

test('a language that the speech-to-text or the voice does not know is refused, whichever of them is set last', async () => {
  const [english, family] = [manifestOf('english', ['stt', 'tts']), manifestOf('family', ['tts'])]
  Object.assign(english.stages.stt ?? {}, { languages: { '': 'en', multi: 'en pt' } })
  Object.assign(english.stages.tts ?? {}, { languages: { '': 'en es' } })
  Object.assign(family.stages.tts ?? {}, {
    languages: { '': 'en' },
    voice_language: { part: 'last' },
    classes: { TTS: { takes: ['model', 'voice'], knobs: { voice: 'voice' }, streams: true } },
  })
  using folder = new VendorFolder().add(english).add(family)
  const folders = [...deployment.settings.vendorFolders, folder.path]
  await using there = await deployment.another({ SVC_VENDOR_FOLDERS: folders.join(',') })
  const agent = newAgent()
  const set = (config: object) => put(agent, there.anonymous.as(ana.key), config)
  const hears = '`language`: english/english-stt-1 understands en, not pt-BR: choose another `stt`'
  refused(await set({ language: 'pt-BR', stt: 'english' }), 400, hears)
  const speaks =
    '`language`: english/english-tts-1 speaks en, es, not pt-BR: choose another `tts` or `tts_model`'
  refused(await set({ language: 'pt-BR', stt: 'alpha', tts: 'english' }), 400, speaks)
  await agent.set(ci.client, { language: 'pt-BR', stt: 'alpha' })
  refused(await set({ stt: 'english' }), 400, hears)
  refused(await set({ tts: 'english' }), 400, speaks)
  const voiceless =
    '`language`: family/family-tts-1 speaks en, not pt-BR: choose a `voice` that does, or another `tts`'
  refused(await set({ tts: 'family' }), 400, voiceless)
  const ofVoice = '`language`: the voice thalia-es of family speaks es, not pt-BR: choose another `voice`'
  refused(await set({ tts: 'family', voice: 'thalia-es' }), 400, ofVoice)
  const elseWell = /^`tts`: the platform lends this org no (english|family)/
  refused(await set({ tts: 'family', voice: 'thalia-pt' }), 400, elseWell)
  refused(await set({ language: 'en-GB', stt: 'english', tts: 'english' }), 400, elseWell)
  assert.equal(await newestOf(agent), null)
})
