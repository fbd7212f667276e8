import { dialDecisions } from './dial-decisions.ts'
import { firstCall } from './first-call.ts'
import { firstAudio } from './first-audio.ts'
import { firstWord } from './first-word.ts'
import { humanSpeech } from './human-speech.ts'
import { liveStreams } from './live-streams.ts'
import { logAppend } from './log-append.ts'
import { logCommits } from './log-commits.ts'
import { logReaders } from './log-readers.ts'
import { settingsResolution } from './settings-resolution.ts'
import { signIns } from './sign-ins.ts'
import { speechLatency } from './speech-latency.ts'
import { spokenCalls } from './spoken-calls.ts'
import { webhookClaims } from './webhook-claims.ts'
import { whoami } from './whoami.ts'

/** Every budget of the house; a name after `npm run bench --` runs that one alone. */
const benches: Record<string, () => Promise<boolean>> = {
  whoami,
  'sign-ins': signIns,
  'first-audio': firstAudio,
  'first-word': firstWord,
  'settings-resolution': settingsResolution,
  'log-append': logAppend,
  'log-commits': logCommits,
  'log-readers': logReaders,
  'speech-latency': speechLatency,
  'live-streams': liveStreams,
  'dial-decisions': dialDecisions,
  'webhook-claims': webhookClaims,
  'first-call': firstCall,
  'spoken-calls': spokenCalls,
  'human-speech': humanSpeech,
}

const wanted = process.argv.slice(2)
const unknown = wanted.find((name) => !(name in benches))
if (unknown !== undefined) {
  process.stderr.write(`there is no bench ${unknown}: choose from ${Object.keys(benches).join(', ')}\n`)
  process.exit(2)
}

for (const [name, bench] of Object.entries(benches)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  if (!(await bench())) process.exitCode = 1
}
