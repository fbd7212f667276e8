import { parseArgs } from 'node:util'
import { bargeIn } from './barge-in.ts'
import { dialDecisions } from './dial-decisions.ts'
import { firstCall } from './first-call.ts'
import { firstAudio } from './first-audio.ts'
import { firstWord } from './first-word.ts'
import { knowledgeTurns } from './knowledge-turns.ts'
import { knowledge } from './knowledge/knowledge.ts'
import { humanSpeech } from './human-speech.ts'
import { liveCalls } from './live/live-calls.ts'
import { liveStreams } from './live-streams.ts'
import { load } from './load.ts'
import { logAppend } from './log-append.ts'
import { logCommits } from './log-commits.ts'
import { logReaders } from './log-readers.ts'
import { manyNumbers } from './many-numbers.ts'
import { settingsResolution } from './settings-resolution.ts'
import { signIns } from './sign-ins.ts'
import { speechLatency } from './speech-latency.ts'
import { spokenCalls } from './spoken-calls.ts'
import { tracing } from './tracing.ts'
import { volume } from './volume/volume.ts'
import { volumeMigration } from './volume/volume-migration.ts'
import { webhookClaims } from './webhook-claims.ts'
import { whoami } from './whoami.ts'

interface BenchOptions {
  /** How many calls `volume` and `volume-migration` fill their databases with, and how many `live-calls` run at once. */
  calls?: number
}

/** Every budget of the house; a name after `npm run bench --` runs that one alone. */
const benches: Record<string, (options: BenchOptions) => Promise<boolean>> = {
  whoami,
  'sign-ins': signIns,
  'first-audio': firstAudio,
  'first-word': firstWord,
  'knowledge-turns': knowledgeTurns,
  'settings-resolution': settingsResolution,
  'log-append': logAppend,
  'log-commits': logCommits,
  'log-readers': logReaders,
  'speech-latency': speechLatency,
  'live-streams': liveStreams,
  'live-calls': liveCalls,
  'dial-decisions': dialDecisions,
  'webhook-claims': webhookClaims,
  'first-call': firstCall,
  'spoken-calls': spokenCalls,
  'barge-in': bargeIn,
  'human-speech': humanSpeech,
  'many-numbers': manyNumbers,
  knowledge,
  tracing,
  load,
  volume,
  'volume-migration': volumeMigration,
}

const { values, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: { calls: { type: 'string' } },
})
const calls = values.calls === undefined ? undefined : Number(values.calls)
const fewest = wanted.length > 0 && wanted.every((name) => name === 'live-calls') ? 100 : 10_000
if (calls !== undefined && !(Number.isInteger(calls) && calls >= fewest)) {
  process.stderr.write(`--calls is a whole number from ${fewest}\n`)
  process.exit(2)
}
const unknown = wanted.find((name) => !(name in benches))
if (unknown !== undefined) {
  process.stderr.write(`there is no bench ${unknown}: choose from ${Object.keys(benches).join(', ')}\n`)
  process.exit(2)
}

for (const [name, bench] of Object.entries(benches)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  if (!(await bench({ ...(calls !== undefined && { calls }) }))) process.exitCode = 1
}
