import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { AnswerClassifier, type Verdict } from '../src/spoken/answering/answer-classifier.ts'
import { voiceActivityIn } from './voice-activity-in.ts'

/*
 * Who answered, told from recordings: `node session/testing/answering-machines.ts <folder> [every nth]`, where the folder has the
 * prompts of Debian's packages asterisk-core-sounds-{en,es,fr,it,ru}-wav (8 kHz, mono). Announcements of 2.5 s and
 * more count as machines, words and short sentences of 0.3 to 1.5 s as persons who say hello. Only the sound is
 * judged, without the words; each recording is heard after three different waits, once in silence and once in noise.
 */
const rate = 8_000
const limitMs = 3_000
const waitsMs = [200, 600, 1_100]
const noises = [0, 60]
/** More than is judged, because the detection never says that its input ended. */
const playedMs = limitMs + 1_000
const say = (line: string) => process.stdout.write(`${line}\n`)
const samplesIn = (ms: number) => Math.round((ms * rate) / 1_000)

interface Case {
  name: string
  is: string
  samples: Int16Array
}

const [folder = '.', every = '1'] = process.argv.slice(2)
const cases = [...[...recordings(folder)].filter((_, at) => at % Number(every) === 0), ...faxes()]
const table = new Map<string, Map<string, number>>()
const tookMs: number[] = []
for (const { name, is, samples } of cases)
  for (const waitMs of waitsMs)
    for (const noise of noises) {
      const { verdict, ms } = await judged(heard(samples, waitMs, noise))
      const told = verdict.kind === 'fax' ? 'fax' : verdict.by
      const row = table.get(is) ?? new Map<string, number>()
      row.set(told, (row.get(told) ?? 0) + 1)
      table.set(is, row)
      if (is === 'person' && told === 'person') tookMs.push(ms - waitMs - (samples.length / rate) * 1_000)
      if (told !== is && process.env['VERBOSE'])
        say(`${is} -> ${told}: ${name} after ${waitMs} ms, noise ${noise}`)
    }
for (const [is, row] of table) say(`${is.padEnd(8)} ${JSON.stringify(Object.fromEntries(row))}`)
tookMs.sort((a, b) => a - b)
const [p50, p95] = [0.5, 0.95].map((share) => tookMs[Math.floor(tookMs.length * share)])
say(`from the end of a person's recording to the verdict: p50 ${p50} ms, p95 ${p95} ms`)

function* recordings(within: string): Generator<Case> {
  for (const entry of readdirSync(within, { recursive: true, encoding: 'utf8' })) {
    const path = join(within, entry)
    if (!path.endsWith('.wav') || /silence|beep|tone|confbridge-(?:join|leave)\.|monkeys/.test(path)) continue
    if (!statSync(path).isFile()) continue
    const bytes = readFileSync(path)
    const samples = new Int16Array(new Uint8Array(bytes.subarray(44)).buffer, 0, (bytes.length - 44) >> 1)
    const seconds = samples.length / rate
    const isShort = seconds >= 0.3 && seconds <= 1.5
    if (isShort && /digits/.test(path)) continue // one number, said a hundred times over
    if (isShort || seconds >= 2.5) yield { name: basename(path), is: isShort ? 'person' : 'machine', samples }
  }
}

function* faxes(): Generator<Case> {
  for (const [hz, onMs, offMs] of [
    [1_100, 500, 3_000],
    [2_100, 2_600, 400],
  ] as const)
    for (const drift of [-20, 0, 20])
      yield {
        name: `${hz + drift} Hz`,
        is: 'fax',
        samples: Int16Array.from({ length: samplesIn(3_000) }, (_, n) =>
          n % samplesIn(onMs + offMs) < samplesIn(onMs)
            ? 6_000 * Math.sin((2 * Math.PI * (hz + drift) * n) / rate)
            : 0,
        ),
      }
}

function heard(samples: Int16Array, waitMs: number, noise: number): Int16Array {
  const all = new Int16Array(samplesIn(playedMs))
  all.set(samples.subarray(0, Math.max(0, all.length - samplesIn(waitMs))), samplesIn(waitMs))
  return noise === 0 ? all : all.map((sample) => sample + noise * (Math.random() + Math.random() - 1) * 2)
}

async function judged(samples: Int16Array): Promise<{ verdict: Verdict; ms: number }> {
  const classifier = new AnswerClassifier(rate)
  let fedTo = 0
  for (const { type, atMs, probability, samples: window } of await voiceActivityIn(samples, rate)) {
    if (type !== 'window') continue
    classifier.add(samples.subarray(fedTo, (fedTo = samplesIn(atMs))))
    classifier.window(probability, (window.length / rate) * 1_000)
    const verdict = classifier.verdict()
    if (verdict || atMs >= limitMs) return { verdict: verdict ?? classifier.guess(), ms: atMs }
  }
  return { verdict: classifier.guess(), ms: playedMs }
}
